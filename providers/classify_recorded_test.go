package providers

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

// recording is one line of ../shared/fixtures/errors.jsonl: an answer that a public project recorded from a provider.
type recording struct {
	Provider, Host, Path string
	Status               int
	Headers              map[string]string
	Body                 string
}

func readRecorded(t *testing.T) []recording {
	t.Helper()
	file, err := os.Open(filepath.Join(recorded.Folder(t, "fixtures"), "errors.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []recording
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// signal tells the classifier what a provider of that recording would be configured as.
func (r recording) signal() Signal {
	s := Signal{Dialect: "openai", Preset: r.Provider, Status: r.Status, Header: http.Header{}, Body: []byte(r.Body), Now: testNow}
	switch r.Provider {
	case "anthropic", "azure":
		s.Dialect, s.Preset = r.Provider, ""
	case "gemini", "vertex":
		s.Dialect, s.Preset = "gemini", ""
	case "ollama-cloud":
		s.Preset = "ollama"
	}
	for name, value := range r.Headers {
		s.Header.Set(name, value)
	}
	return s
}

// recordedKinds says of each recorded answer, in their order, what it is.
var recordedKinds = []struct {
	host   string
	status int
	want   Kind
}{
	0:  {"bedrock-runtime.us-east-1.amazonaws.com", 400, ClientError},
	1:  {"bedrock-runtime.us-east-1.amazonaws.com", 400, ClientError},
	2:  {"api.openai.com", 400, ClientError}, // a file of the request has the wrong type
	3:  {"bedrock-runtime.us-east-1.amazonaws.com", 400, ClientError},
	4:  {"bedrock-runtime.us-east-1.amazonaws.com", 400, ClientError},
	5:  {"api.openai.com", 400, ClientError},
	6:  {"api.openai.com", 400, ClientError},
	7:  {"api.openai.com", 400, Unsupported},
	8:  {"api.openai.com", 400, Unsupported},
	9:  {"api.openai.com", 400, ClientError}, // says "not supported" in words only
	10: {"api.anthropic.com", 400, ClientError},
	11: {"api.groq.com", 400, ModelFault},
	12: {"openrouter.ai", 429, RateLimit},
	13: {"bedrock-runtime.us-east-1.amazonaws.com", 400, ClientError},
	14: {"api.openai.com", 400, ModelNotFound},
	15: {"generativelanguage.googleapis.com", 404, ModelNotFound},
	16: {"api.groq.com", 404, ModelNotFound},
	17: {"api.openai.com", 404, ModelNotFound},
	18: {"api.cohere.com", 404, ModelNotFound},
	19: {"generativelanguage.googleapis.com", 404, ModelNotFound},
	20: {"api.openai.com", 404, ModelNotFound},
	21: {"api.anthropic.com", 401, Auth},
	22: {"rubyllm.services.ai.azure.com", 401, Auth},
	23: {"bedrock-runtime.<AWS_REGION>.amazonaws.com", 403, Auth},
	24: {"generativelanguage.googleapis.com", 400, Auth},
	25: {"api.mistral.ai", 401, Auth},
	26: {"ollama.com", 401, Auth},
	27: {"api.openai.com", 401, Auth},
	28: {"openrouter.ai", 401, Auth},
	29: {"api.perplexity.ai", 401, Auth},
	30: {"api.x.ai", 400, Auth},
	31: {"api.anthropic.com", 400, ContextLength},
	32: {"bedrock-runtime.<AWS_REGION>.amazonaws.com", 400, ContextLength},
	33: {"generativelanguage.googleapis.com", 429, RateLimit},
	34: {"ollama.com", 400, ContextLength},
	35: {"api.openai.com", 400, ContextLength},
	36: {"openrouter.ai", 400, ContextLength},
	37: {"api.perplexity.ai", 400, ContextLength},
	38: {"aiplatform.googleapis.com", 400, ContextLength},
	39: {"api.openai.com", 400, ClientError},
	40: {"api.openai.com", 400, ClientError},
	41: {"traceloop-stg.openai.azure.com", 404, ModelNotFound},
	42: {"api.openai.com", 400, ClientError},
	43: {"api.openai.com", 400, Unsupported},
	44: {"api.cohere.com", 404, ModelNotFound},
	45: {"api.openai.com", 404, ModelNotFound},
}

func TestRecordedAnswersAreClassified(t *testing.T) {
	all := readRecorded(t)
	if len(all) != len(recordedKinds) {
		t.Fatalf("%d recorded answers, %d expectations", len(all), len(recordedKinds))
	}
	for i, r := range all {
		want := recordedKinds[i]
		if r.Host != want.host || r.Status != want.status {
			t.Errorf("answer %d is %s %d, want %s %d", i, r.Host, r.Status, want.host, want.status)
		}
		if f := Classify(r.signal()); f == nil || f.Kind != want.want {
			t.Errorf("answer %d of %s: %v, want %s", i, r.Host, f, want.want)
		}
	}
}

func TestTheWordingOfContextLengthHitsExactlyTheRecordedOnes(t *testing.T) {
	wording := regexp.MustCompile(`(?is)` + contextWords)
	var hit, want []int
	for i, r := range readRecorded(t) {
		s := r.signal()
		if wording.MatchString(readObject(&s).plain) {
			hit = append(hit, i)
		}
		if recordedKinds[i].want == ContextLength {
			want = append(want, i)
		}
	}
	if !slices.Equal(hit, want) {
		t.Errorf("the wording hits %d, of that kind are %d", hit, want)
	}
}

func TestARecordedWaitIsRead(t *testing.T) {
	f := Classify(readRecorded(t)[33].signal())
	if f.Hint.Seconds() < 48.9 || f.Hint.Seconds() > 49 {
		t.Errorf("hint %s, want the larger of 48s and 48.94s", f.Hint)
	}
}

func TestRecordedContextWindowsAreRead(t *testing.T) {
	all := readRecorded(t)
	for i, want := range map[int]int{31: 200_000, 36: 200_000, 38: 1_048_576} {
		if f := Classify(all[i].signal()); f.ContextWindow != want {
			t.Errorf("answer %d names %d, want %d", i, f.ContextWindow, want)
		}
	}
}
