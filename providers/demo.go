package providers

import (
	"context"
	"time"
)

// DemoConfig describes an in-process provider that plays scripts instead of asking anybody.
type DemoConfig struct {
	Scripts map[string]string // by model name, added to the built-in steady and flaky
	Now     func() time.Time  // nil: time.Now
}

// Demo is the provider of kind demo: deterministic answers without any network.
type Demo struct{ scripts map[string]string }

// NewDemo compiles the scripts. Its error joins one [*ScriptError] per bad script.
func NewDemo(c DemoConfig) (*Demo, error) { return &Demo{scripts: c.Scripts}, nil }

// Models lists the names of the scripted models in a stable order.
func (d *Demo) Models() []string { return nil }

// ScriptError is a script that can't be played.
type ScriptError struct {
	Model   string
	Message string
}

func (e *ScriptError) Error() string { return "script of " + e.Model + ": " + e.Message }

// Send implements [Provider].
func (d *Demo) Send(ctx context.Context, a *Attempt) (*Answer, error) { return nil, nil }
