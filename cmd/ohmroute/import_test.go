package main

import (
	"strings"
	"testing"
)

func TestAnImportedConfigurationIsFine(t *testing.T) {
	theirs := write(t, `
model_list:
- {model_name: chat, litellm_params: {model: groq/llama, api_key: os.environ/GROQ, rpm: 5}}
- {model_name: chat, litellm_params: {model: mistral/small, api_key: os.environ/MISTRAL, rpm: 10}}
`)
	got := execute(t, nil, "import", "litellm", theirs)
	if got.code != 0 || strings.Count(got.err, "model_list[") != 2 || !strings.Contains(got.out, "#   model_list[0].litellm_params.rpm: ") {
		t.Fatalf("%+v", got)
	}
	ours := write(t, got.out)
	if got := execute(t, map[string]string{"GROQ": "k1", "MISTRAL": "k2"}, "check", "--strict", "--config", ours); got.code != 0 {
		t.Errorf("%+v", got)
	}
	if got := execute(t, map[string]string{"GROQ": "k1"}, "check", "--config", ours); got.code != 1 || !strings.Contains(got.out, "MISTRAL is not set") {
		t.Errorf("%+v", got)
	}
}

func TestWhatCanNotBeImportedIsAnError(t *testing.T) {
	empty := write(t, "model_list: [{model_name: a, litellm_params: {model: bedrock/x}}]\n")
	for name, test := range map[string]struct {
		args []string
		err  string
	}{
		"no file":     {[]string{"litellm"}, "accepts 1 arg"},
		"a gone file": {[]string{"litellm", "/nowhere.yaml"}, "can't be read"},
		"nothing":     {[]string{"litellm", empty}, "model_list[0].litellm_params.model: is left out"},
		"nobody":      {[]string{"nobody", empty}, `unknown command "nobody"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := execute(t, nil, append([]string{"import"}, test.args...)...); got.code != 1 || got.out != "" || !strings.Contains(got.err, test.err) {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := execute(t, nil, "import"); got.code != 0 || !strings.Contains(got.out, "litellm") {
		t.Errorf("help: %+v", got)
	}
}
