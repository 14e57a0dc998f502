package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ohmroute/ohmroute/providers"
)

// lister is a provider's client that can be asked for its models.
type lister interface {
	ListModels(ctx context.Context, key providers.Key) ([]string, error)
}

// Connect asks every enabled provider of the file for its models, once per key and all at the same time. That it
// doesn't answer is a problem, that it doesn't list a configured model a warning.
func (f *File) Connect(ctx context.Context, env func(string) (string, bool)) []Problem {
	found := make([][]Problem, len(f.Providers))
	var asking sync.WaitGroup
	for i := range f.Providers {
		if !f.Providers[i].Disabled {
			asking.Go(func() { found[i] = f.Providers[i].connect(ctx, at("providers", i), env) })
		}
	}
	asking.Wait()
	return slices.Concat(found...)
}

func (p *Provider) connect(ctx context.Context, path string, env func(string) (string, bool)) []Problem {
	var throwaway clients
	defer throwaway.close()
	full := p.withPreset()
	client, err := throwaway.of(&full)
	if err != nil {
		return nil // told by the check that comes before
	}
	asked, ok := client.(lister)
	if !ok {
		return nil
	}
	fs := findings{path: path}
	keys := p.Keys
	if len(keys) == 0 {
		keys = []Key{{}} // one without a credential
	}
	for i := range keys {
		where := "base_url"
		var key providers.Key
		if len(p.Keys) > 0 {
			where = at("keys", i)
			if key, err = keys[i].credential(env); err != nil {
				continue // told by Unset
			}
		}
		models, err := asked.ListModels(ctx, key)
		if f, ok := errors.AsType[*providers.Failure](err); ok && (f.Kind == providers.ModelNotFound || f.Status == 405) {
			fs.warnf(where, "the provider was reached, but doesn't list its models: %s", err)
			continue
		}
		if err != nil {
			fs.addf(where, "the provider can't be asked for its models: %s", err)
			continue
		}
		for j := range p.Models {
			if name := p.Models[j].Name; len(models) > 0 && !slices.Contains(models, name) {
				fs.warnf(at("models", j), "is not among the %d models that the provider lists%s", len(models), didYouMean(name, models))
			}
		}
	}
	return firstPerPath(fs.problems)
}

// credential gives what a key sends; an error says why there is nothing, without showing it.
func (k *Key) credential(env func(string) (string, bool)) (providers.Key, error) {
	key := providers.Key{Name: k.Name, Weight: k.Weight}
	switch {
	case k.Env != "":
		key.Secret, _ = env(k.Env)
		if key.Secret == "" {
			return key, fmt.Errorf("the environment variable %s is not set", shownEnv(k.Env))
		}
		if wrong := secretRule(key.Secret); wrong != "" {
			return key, fmt.Errorf("the value of the environment variable %s %s", shownEnv(k.Env), wrong)
		}
	case k.value == nil:
		return key, fmt.Errorf("its stored value can't be read: %w", errSealed)
	default:
		key.Secret = *k.value
	}
	return key, nil
}
