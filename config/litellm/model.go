package litellm

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// deployment is one place of model_list that can be used.
type deployment struct {
	path     string
	id       string // model_info.id
	provider *provider
	model    string
	shares   map[string]float64 // weight, rpm and tpm, which all weigh the choice
	order    float64
	ordered  bool
}

// group are the deployments of one model_name: what clients name.
type group struct {
	name        string
	deployments []*deployment
	aliases     []string
}

const (
	reasonObservers = "ohmroute has metrics, traces and a request log instead (docs/metrics.md)"
	reasonRequest   = "ohmroute changes nothing in requests: let clients send it"
	reasonBudget    = "ohmroute has no budgets"
	reasonLimits    = "ohmroute limits client keys (keys[].requests_per_minute) and not deployments; here it weighs the choice alone"
)

var paramReasons = map[string]string{ //nolint:gosec // names of members, and no secret
	"temperature": reasonRequest, "top_p": reasonRequest, "max_tokens": reasonRequest, "max_completion_tokens": reasonRequest,
	"seed": reasonRequest, "stop": reasonRequest, "n": reasonRequest, "user": reasonRequest, "extra_body": reasonRequest,
	"reasoning_effort": reasonRequest, "thinking": reasonRequest, "dimensions": reasonRequest, "metadata": reasonRequest,
	"response_format": reasonRequest, "frequency_penalty": reasonRequest, "presence_penalty": reasonRequest,
	"max_budget": reasonBudget, "budget_duration": reasonBudget,
	"max_retries": "retries are a setting of combos (retry), not of targets", "num_retries": "retries are a setting of combos (retry), not of targets",
	"azure_ad_token": "only API keys are used for Azure", "tenant_id": "only API keys are used for Azure",
	"client_id": "only API keys are used for Azure", "client_secret": "only API keys are used for Azure",
	"tags":          "ohmroute doesn't route by tags: make a combo for each",
	"mock_response": "the kind demo plays scripts instead (docs/providers.md)",
	"ssl_verify":    "certificates are always verified",
	"fallbacks":     "fallbacks are targets of combos",
}

// readModel reads a place of model_list into its group.
func (c *conversion) readModel(m *object) {
	name := m.text("model_name")
	params := m.object("litellm_params")
	info := m.object("model_info")
	m.leftovers(nil)
	switch {
	case name == "":
		c.addf(m.path, "has no model_name, and is left out")
		return
	case params == nil:
		c.addf(m.path, "has no litellm_params, and is left out")
		return
	case !nameable(name):
		c.addf(m.at("model_name"), "is no name that a combo can have (1 to 128 characters, none of them hidden), and is left out")
		return
	}
	d := c.readDeployment(params, info)
	if d == nil {
		return
	}
	if d.id = info.text("id"); info != nil {
		info.leftovers(nil)
	}
	if strings.Contains(name, "*") || strings.Contains(d.model, "*") {
		c.addf(m.at("model_name"), "stands for many models: there is no combo for them, clients name %s/MODEL", d.provider.id)
		return
	}
	g := c.byName[name]
	if g == nil {
		g = &group{name: name}
		c.byName[name] = g
		c.groups = append(c.groups, g)
	}
	for _, other := range g.deployments {
		if other.provider == d.provider && other.model == d.model {
			c.addf(d.path, "is the same target as %s, and left out: a request asks a target once", other.path)
			return
		}
	}
	g.deployments = append(g.deployments, d)
}

func nameable(name string) bool {
	return utf8.RuneCountInString(name) <= 128 && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	})
}

// readDeployment reads litellm_params; nil, with a note, if nobody can be asked by them.
func (c *conversion) readDeployment(o, info *object) *deployment {
	d := &deployment{path: o.path, shares: map[string]float64{}}
	defer o.leftovers(paramReasons)
	text := o.text("model")
	if text == "" {
		c.addf(o.path, "has no model, and is left out")
		return nil
	}
	for _, name := range []string{"weight", "rpm", "tpm"} {
		if share, set := o.number(name); set {
			d.shares[name] = share
			if name != "weight" {
				c.addf(o.at(name), reasonLimits)
			}
		}
	}
	d.order, d.ordered = o.number("order")
	p, name := c.readProvider(o, text)
	if p == nil {
		return nil
	}
	if d.provider = c.known(p); strings.Contains(name, "*") {
		d.model, d.provider.any = name, true
		return d
	}
	if !nameable(name) || name == "" {
		c.addf(o.at("model"), "is no name of a model that can be used")
		return nil
	}
	d.model = name
	d.provider.add(readDetails(o, info, name))
	return d
}

// readDetails reads what is known of a model: limits, prices, times.
func readDetails(o, info *object, name string) modelDetails {
	m := modelDetails{name: name}
	if seconds, set := o.number("timeout"); set && seconds > 0 {
		m.response, m.firstToken = duration(seconds), duration(seconds)
	}
	if seconds, set := o.number("stream_timeout"); set && seconds > 0 {
		m.firstToken = duration(seconds)
	}
	if seconds, set := o.number("cooldown_time"); set && seconds > 0 {
		m.reset = duration(seconds)
	}
	for _, from := range []*object{info, o} {
		if price, set := from.number("input_cost_per_token"); set {
			m.input, m.priced = perMillion(price), true
		}
		if price, set := from.number("output_cost_per_token"); set {
			m.output, m.priced = perMillion(price), true
		}
	}
	if info == nil {
		return m
	}
	if n, set := info.number("max_input_tokens"); set {
		m.window = int(min(n, 1e9))
	}
	if n, set := info.number("max_output_tokens"); set {
		m.longest = int(min(n, 1e9))
	}
	vision, tools := info.flag("supports_vision"), info.flag("supports_function_calling")
	if vision != nil && tools != nil { // one alone would deny the other
		m.capabilities = []string{}
		if *vision {
			m.capabilities = append(m.capabilities, "vision")
		}
		if *tools {
			m.capabilities = append(m.capabilities, "tools")
		}
	}
	info.skip("mode", "base_model", "description", "version")
	return m
}

// perMillion is a price for a million tokens, without the dust of binary fractions.
func perMillion(price float64) float64 { return math.Round(price*1e12) / 1e6 }
