package litellm

import (
	"bytes"
	"reflect"

	"github.com/goccy/go-yaml"
)

// ordered is a mapping that is being written; members that are empty are left out.
type ordered struct{ yaml.MapSlice }

func (o *ordered) add(name string, value any) {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
	default:
		if v.IsZero() {
			return
		}
	}
	o.set(name, value)
}

// set writes a member whatever its value.
func (o *ordered) set(name string, value any) {
	o.MapSlice = append(o.MapSlice, yaml.MapItem{Key: name, Value: value})
}

// write is the file without the comments at its top.
func (c *conversion) write(combos []comboDocument) ([]byte, error) {
	var file ordered
	if n := c.settings.maxBody; n > 0 {
		file.add("server", yaml.MapSlice{{Key: "max_body", Value: n}})
	}
	file.add("defaults", c.defaults())
	var list []yaml.MapSlice
	for _, p := range c.providers {
		list = append(list, p.document())
	}
	file.add("providers", list)
	list = nil
	for i := range combos {
		list = append(list, combos[i].document())
	}
	file.add("combos", list)
	if len(c.keys) > 0 {
		file.add("keys", []yaml.MapSlice{c.keys})
	}
	return yaml.MarshalWithOptions(file.MapSlice, yaml.IndentSequence(true))
}

// head are the comments at the top of the file.
func (c *conversion) head() []byte {
	var b bytes.Buffer
	b.WriteString("# Made of a configuration of LiteLLM by ohmroute import litellm; every setting: docs/configuration.md.\n")
	if len(c.list) > 0 {
		b.WriteString("# What differs, and where it stood:\n")
	}
	for _, n := range c.list {
		b.WriteString("#   " + n.String() + "\n")
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func (c *conversion) defaults() yaml.MapSlice {
	s := &c.settings
	var d, breaker ordered
	d.add("model", literal(s.model))
	if s.threshold > 0 {
		breaker.add("failure_threshold", s.threshold)
		breaker.add("forget_after", "1m")
	}
	breaker.add("reset_timeout", s.reset)
	if s.observe {
		breaker.set("enforce", false)
	}
	breaker.add("kinds", s.kinds)
	d.add("breaker", breaker.MapSlice)
	d.add("timeouts", timeouts(s.response, s.firstToken))
	return d.MapSlice
}

func timeouts(response, firstToken string) yaml.MapSlice {
	var t ordered
	t.add("first_token", firstToken)
	t.add("response", response)
	return t.MapSlice
}

func (p *provider) document() yaml.MapSlice {
	var d, key, headers ordered
	d.add("id", p.id)
	d.add("kind", p.kind)
	d.add("preset", p.preset)
	d.add("base_url", p.baseURL)
	d.add("api_version", p.version)
	key.add("env", p.keyEnv)
	key.add("value", p.keyValue)
	if len(key.MapSlice) > 0 {
		d.add("keys", []yaml.MapSlice{append(yaml.MapSlice{{Key: "name", Value: "main"}}, key.MapSlice...)})
	}
	for _, h := range p.headers {
		headers.add(h[0], h[1])
	}
	d.add("headers", headers.MapSlice)
	d.add("max_concurrency", p.concurrency)
	d.add("allow_private_network", p.private)
	d.add("strict", p.strict)
	if !p.any {
		var models []any
		for i := range p.models {
			models = append(models, p.models[i].document())
		}
		d.set("models", models)
	}
	return d.MapSlice
}

// document is a model's name alone if nothing else is known of it.
func (m *modelDetails) document() any {
	var d ordered
	d.add("name", m.name)
	d.add("context_window", m.window)
	d.add("max_output_tokens", m.longest)
	if m.priced {
		d.add("price", yaml.MapSlice{{Key: "input", Value: m.input}, {Key: "output", Value: m.output}})
	}
	if m.capabilities != nil {
		d.set("capabilities", m.capabilities)
	}
	d.add("timeouts", timeouts(m.response, m.firstToken))
	if m.reset != "" {
		d.add("breaker", yaml.MapSlice{{Key: "reset_timeout", Value: m.reset}})
	}
	if len(d.MapSlice) == 1 {
		return m.name
	}
	return d.MapSlice
}

func (c *comboDocument) document() yaml.MapSlice {
	var d, retry ordered
	d.add("name", literal(c.name))
	aliases := make([]string, len(c.aliases))
	for i, a := range c.aliases {
		aliases[i] = literal(a)
	}
	d.add("aliases", aliases)
	d.add("strategy", c.strategy)
	var targets []yaml.MapSlice
	for _, t := range c.targets {
		var target ordered
		target.add("provider", t.provider)
		target.add("model", t.model)
		target.add("combo", literal(t.combo))
		target.add("weight", t.weight)
		if t.onlyOn != "" {
			target.add("only_on", []string{t.onlyOn})
		}
		targets = append(targets, target.MapSlice)
	}
	d.add("targets", targets)
	if c.maxRetries >= 0 {
		retry.set("max_retries", c.maxRetries)
	}
	retry.add("same_target", c.sameTarget)
	d.add("retry", retry.MapSlice)
	return d.MapSlice
}
