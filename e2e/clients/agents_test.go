//go:build agents

package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

// agent is a coding agent of npm, and how it is pointed at the gateway.
type agent struct {
	name  string
	bin   string
	reads string // the call of a tool that reads the file {note}
	args  []string
	env   []string
	files map[string]string // below its home
}

// agents are pointed at the gateway as docs/clients.md says. {base} stands for its address, {model} for the
// combo, {small} for a smaller one, {key} for the client key.
var agents = []agent{
	{
		name: "codex", bin: "codex", reads: `exec_command {"cmd":"cat {note}"}`,
		args: []string{"exec", "--skip-git-repo-check", "Say hello."},
		files: map[string]string{".codex/config.toml": `
model = "{model}"
model_provider = "ohmroute"

[model_providers.ohmroute]
name = "ohmroute"
base_url = "{base}/v1"
wire_api = "responses"
env_key = "OHMROUTE_KEY"
`},
	},
	{
		// Where only the address is changed it tries a WebSocket first.
		name: "codex, openai_base_url", bin: "codex", reads: `exec_command {"cmd":"cat {note}"}`,
		args: []string{"exec", "--skip-git-repo-check", "Say hello."}, env: []string{"CODEX_API_KEY={key}"},
		files: map[string]string{".codex/config.toml": `
model = "{model}"
openai_base_url = "{base}/v1"
`},
	},
	{
		name: "claude", bin: "claude", reads: `Read {"file_path":"{note}"}`,
		args: []string{"-p", "Say hello.", "--model", "{model}"},
		env: []string{
			"ANTHROPIC_BASE_URL={base}", "ANTHROPIC_AUTH_TOKEN={key}", "ANTHROPIC_DEFAULT_HAIKU_MODEL={small}",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
	},
	{
		name: "opencode", bin: "opencode", reads: `read {"filePath":"{note}"}`,
		args: []string{"run", "--model", "ohmroute/{model}", "Say hello."},
		env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		files: map[string]string{".config/opencode/opencode.json": `{
  "small_model": "ohmroute/{small}",
  "provider": {
    "ohmroute": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "{base}/v1", "apiKey": "{env:OHMROUTE_KEY}"},
      "models": {"{model}": {}, "{small}": {}}
    }
  }
}`},
	},
	{
		name: "qwen", bin: "qwen", reads: `read_file {"file_path":"{note}"}`,
		args: []string{"--auth-type", "openai", "--model", "{model}", "-p", "Say hello."},
		env:  []string{"OPENAI_BASE_URL={base}/v1", "OPENAI_API_KEY={key}"},
	},
}

const (
	noted = "swordfish" // stands in the file that the agent is made to read
	small = "text@chat" // the model for what an agent asks beside its work
)

// TestAgents runs each agent for every dialect of a target, behind a target whose streams die. The model calls a tool
// of the agent, sees what it gave, and says hello.
func TestAgents(t *testing.T) {
	packages := installed(t, "agents")
	for _, a := range agents {
		for _, target := range targets {
			t.Run(a.name+"/"+target.name, func(t *testing.T) {
				s := newStage(t)
				host, model := s.hosts[target.name], "failover-streamed"
				home := t.TempDir()
				note := filepath.Join(home, "work", "note.txt")
				s.hosts["chat"].Script("text", "chat "+hello)
				host.Script(firstModel(model), "role; cut")
				host.Script(model, script("role", "tool "+strings.ReplaceAll(a.reads, "{note}", note), "finish tool_calls", "done"), "chat "+hello)
				write(t, note, "The word is "+noted+".")
				out := a.run(t, home, packages, strings.NewReplacer(
					"{base}", s.gateway.URL, "{model}", model+"@"+target.name, "{small}", small, "{key}", s.key))
				if !strings.Contains(out, hello) {
					t.Errorf("it said:\n%s", out)
				}
				if first, n := host.Count(firstModel(model)), host.Count(model); first < 2 || n < 2 || n > 4 || !s.sawTheNote(target.name) {
					t.Errorf("the targets were asked %d and %d times, and saw the note: %v\n%s", first, n, s.sawTheNote(target.name), out)
				}
			})
		}
	}
}

// sawTheNote tells whether what the tool gave came to the host.
func (s *stage) sawTheNote(target string) bool {
	return slices.ContainsFunc(s.hosts[target].Requests(), func(r providertest.Request) bool {
		return strings.Contains(string(r.Body), noted)
	})
}

// write writes a file and the folders that it lies in.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the agent in a home of its own, with nothing of this process's environment, and returns all that it said.
func (a agent) run(t *testing.T, home, packages string, filled *strings.Replacer) string {
	t.Helper()
	for name, text := range a.files {
		write(t, filepath.Join(home, name), filled.Replace(text))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var args []string
	for _, arg := range a.args {
		args = append(args, filled.Replace(arg))
	}
	cmd := exec.CommandContext(ctx, filepath.Join(packages, "node_modules", ".bin", a.bin), args...)
	cmd.Dir = filepath.Join(home, "work")
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = []string{"PATH=" + packages + ":/usr/bin:/bin", "HOME=" + home, "TERM=dumb", filled.Replace("OHMROUTE_KEY={key}")}
	for _, v := range a.env {
		cmd.Env = append(cmd.Env, filled.Replace(v))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s ended with %v", a.name, err)
	}
	return string(out)
}
