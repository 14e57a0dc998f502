package providers

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"
)

// DemoConfig describes an in-process provider that plays scripts instead of asking anybody.
type DemoConfig struct {
	Scripts map[string]string // by model name, beside the built-in ones or instead of them; see [CheckScript]
	Now     func() time.Time  // nil: time.Now
}

// builtinScripts are there without any configuration. Flaky fails before anything was sent, so that whoever asks a
// combo of the two always gets an answer, and often enough to be opened; it has recovered when it is probed.
var builtinScripts = map[string]string{
	"steady": "ok words=45 first=120ms delay=40ms",
	"flaky":  "fail:server_error x3, fail:timeout x2, ok words=16 delay=30ms x2",
}

// otherScript is played for models that have none.
const otherScript = "ok"

// Demo is the provider of kind demo: answers without any network, the same ones in every process. It goes through
// all that a provider over HTTP goes through, except for the connection. It is safe for concurrent use.
type Demo struct {
	upstream
	models []string
}

// NewDemo compiles the scripts. Its error joins one [*ScriptError] for each script that is none.
func NewDemo(c DemoConfig) (*Demo, error) {
	texts := maps.Clone(builtinScripts)
	maps.Copy(texts, c.Scripts)
	models := slices.Sorted(maps.Keys(texts))
	now := c.Now
	if now == nil {
		now = time.Now
	}
	stage := &stage{scripts: map[string]script{}, now: now, played: map[string]int{}}
	var errs []error
	for _, model := range models {
		s, err := parseScript(texts[model])
		if err != nil {
			errs = append(errs, &ScriptError{Model: model, Message: err.Error()})
		}
		stage.scripts[model] = s
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	base := &url.URL{Scheme: "http", Host: "demo", Path: "/v1"}
	return &Demo{models: models, upstream: upstream{
		dialect: "openai", preset: "demo", kind: openAIKind, native: NativeEndpoints(kindDemo, []Endpoint{Chat}),
		base: base, transport: stage, now: now,
	}}, nil
}

// Models lists the names of the scripted models in a stable order.
func (d *Demo) Models() []string { return slices.Clone(d.models) }

// Send implements [Provider].
func (d *Demo) Send(ctx context.Context, a *Attempt) (*Answer, error) { return d.send(ctx, a) }

// Close waits for what is left of answers that were given.
func (d *Demo) Close() { d.drains.wait() }

// ScriptError is a script that can't be played.
type ScriptError struct {
	Model   string
	Message string
}

func (e *ScriptError) Error() string { return "script of " + e.Model + ": " + e.Message }
