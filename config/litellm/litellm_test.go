package litellm

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ohmroute/ohmroute/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

// mustCheck is what `ohmroute check` says of a file in an environment that has every variable.
func mustCheck(t *testing.T, file []byte) *config.File {
	t.Helper()
	env := func(string) (string, bool) { return "https://example.com", true }
	f, problems := config.ParseFile(file, env)
	if f == nil || config.Errors(f.Unset(env)) {
		t.Fatalf("check says %v of\n%s", problems, file)
	}
	return f
}

func told(list []Note) string {
	var b strings.Builder
	for _, n := range list {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

// body is a file without the comments at its top.
func body(file []byte) string {
	_, rest, _ := strings.Cut(string(file), "\n\n")
	return rest
}

func TestConfigurationsBecomeOurs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no samples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, notes, err := Convert(a.Files[0].Data)
			if err != nil {
				t.Fatalf("%v\n%s", err, told(notes))
			}
			mustCheck(t, file)
			if *update {
				a.Files = []txtar.File{a.Files[0], {Name: "ohmroute.yaml", Data: []byte(body(file))}, {Name: "notes", Data: []byte(told(notes))}}
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got := body(file); got != string(a.Files[1].Data) {
				t.Errorf("got\n%s", got)
			}
			if got := told(notes); got != string(a.Files[2].Data) {
				t.Errorf("told\n%s", got)
			}
			for _, n := range notes {
				if !strings.Contains(string(file), "#   "+n.String()+"\n") {
					t.Errorf("not among the comments: %s", n)
				}
			}
		})
	}
}

func TestWhatIsNoConfigurationIsAnError(t *testing.T) {
	for name, test := range map[string]struct{ text, err, note string }{
		"nothing":         {"", ErrNothing.Error(), ""},
		"no mapping":      {"- a\n- b\n", "it is no YAML that can be read", ""},
		"broken":          {"model_list: [\n  - {api_key: sk-secret", "it is no YAML that can be read", ""},
		"no models":       {"model_list: []\ngeneral_settings: {store_model_in_db: true}\n", ErrNothing.Error(), "store_model_in_db: client keys"},
		"a list of texts": {"model_list: [gpt-4o]\n", ErrNothing.Error(), "model_list[0]: is no mapping"},
		"a mapping":       {"model_list: {a: 1}\n", ErrNothing.Error(), "model_list: is no list"},
		"no params":       {"model_list: [{model_name: a}]\n", ErrNothing.Error(), "has no litellm_params"},
		"no name":         {"model_list: [{litellm_params: {model: gpt-4o}}]\n", ErrNothing.Error(), "has no model_name"},
		"no model":        {"model_list: [{model_name: a, litellm_params: {api_key: sk-secret}}]\n", ErrNothing.Error(), "has no model"},
		"nobody's model":  {"model_list: [{model_name: a, litellm_params: {model: mystery}}]\n", ErrNothing.Error(), "not known whose model"},
		"AWS alone":       {"model_list: [{model_name: a, litellm_params: {model: bedrock/claude}}]\n", ErrNothing.Error(), "signed with AWS keys"},
		"no address":      {"model_list: [{model_name: a, litellm_params: {model: openai/m, api_base: 'your base', api_key: sk-secret}}]\n", ErrNothing.Error(), "is no address"},
		"Azure nowhere":   {"model_list: [{model_name: a, litellm_params: {model: azure/m}}]\n", ErrNothing.Error(), "there is no api_base"},
	} {
		t.Run(name, func(t *testing.T) {
			file, notes, err := Convert([]byte(test.text))
			if err == nil || file != nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(told(notes), test.note) {
				t.Errorf("%v\n%s%s", err, told(notes), file)
			}
			if strings.Contains(fmt.Sprint(err, told(notes)), "sk-secret") {
				t.Error("a key is told")
			}
		})
	}
}

func TestNoKeyIsTold(t *testing.T) {
	file, notes, err := Convert([]byte(`
model_list:
- model_name: a
  litellm_params: {model: gpt-4o, api_key: sk-in-the-file, extra_headers: {Authorization: Bearer sk-header, X-Team: sk-team}, organization: org-1}
- model_name: b
  litellm_params: {model: gpt-4o, api_key: "sk with blank"}
environment_variables: {OPENAI_API_KEY: sk-variable}
router_settings: {redis_password: sk-redis, cooldown_time: sk-number}
general_settings: {master_key: sk-1234, database_url: "postgresql://u:sk-db@h/d"}
`))
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, file)
	if text := told(notes); strings.Contains(text, "sk-") || strings.Contains(text, "sk with") {
		t.Errorf("told\n%s", text)
	}
	if n := strings.Count(string(file), "sk-"); n != 2 || strings.Contains(string(file), "sk-1234") {
		t.Errorf("the result holds %d secrets, want the key of the provider and its header:\n%s", n, file)
	}
}

// FuzzConvert holds that whatever is read, the result is a file of ours or an error.
func FuzzConvert(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	for _, path := range paths {
		if a, err := txtar.ParseFile(path); err == nil {
			f.Add(string(a.Files[0].Data))
		}
	}
	f.Add("model_list: [{model_name: &a x, litellm_params: {model: gpt-4o, weight: -1}}, {model_name: *a, litellm_params: {model: o1}}]")
	f.Fuzz(func(t *testing.T, text string) {
		file, _, err := Convert([]byte(text))
		if err != nil {
			if file != nil {
				t.Fatal("an error and a file")
			}
			return
		}
		env := func(string) (string, bool) { return "https://example.com", true }
		if f, problems := config.ParseFile(file, env); f == nil {
			t.Fatalf("%v in\n%s", problems, file)
		}
	})
}
