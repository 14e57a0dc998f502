package litellm

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/ohmroute/ohmroute/providers"
)

// provider is a host and an account there: deployments that share both are models of one.
type provider struct {
	id                   string
	kind, preset         string
	baseURL, version     string
	keyEnv, keyValue     string
	headers              [][2]string
	concurrency          int
	private, strict, any bool
	models               []modelDetails
}

// modelDetails are a model and what is said of it.
type modelDetails struct {
	name                        string
	window, longest             int
	input, output               float64
	priced                      bool
	capabilities                []string
	response, firstToken, reset string
}

// add lists a model once.
func (p *provider) add(m modelDetails) {
	if !slices.ContainsFunc(p.models, func(known modelDetails) bool { return known.name == m.name }) {
		p.models = append(p.models, m)
	}
}

// known finds the provider that is the same as p, or takes p over and gives it an id.
func (c *conversion) known(p *provider) *provider {
	same := func(q *provider) bool {
		return q.kind == p.kind && q.preset == p.preset && q.baseURL == p.baseURL && q.version == p.version && q.keyEnv == p.keyEnv &&
			q.keyValue == p.keyValue && slices.Equal(q.headers, p.headers) && q.concurrency == p.concurrency && q.strict == p.strict
	}
	if i := slices.IndexFunc(c.providers, same); i >= 0 {
		return c.providers[i]
	}
	base := p.id
	for n := 2; slices.ContainsFunc(c.providers, func(q *provider) bool { return q.id == p.id }); n++ {
		p.id = fmt.Sprintf("%s-%d", base, n)
	}
	c.providers = append(c.providers, p)
	return p
}

// readCredentials reads credential_list, which params name by litellm_credential_name.
func (c *conversion) readCredentials(list []any) {
	c.credentials = map[string]*object{}
	for i, item := range list {
		path := fmt.Sprintf("credential_list[%d]", i)
		if o := c.asObject(path, item); o != nil {
			c.credentials[o.text("credential_name")] = o.object("credential_values")
			o.skip("credential_info")
			o.leftovers(nil)
		}
	}
}

// readProvider reads whom to ask; nil, with a note, if that can't be done.
func (c *conversion) readProvider(o *object, model string) (p *provider, name string) {
	prefix, name, found := identify(model, o.text("custom_llm_provider"))
	base := firstText(o, "api_base", "base_url")
	credential := c.credentials[o.text("litellm_credential_name")]
	if base == "" {
		base = firstText(credential, "api_base", "base_url")
	}
	h := hosts[prefix]
	switch {
	case h.refused != "":
		c.addf(o.at("model"), "is left out: %s %s", prefix, h.refused)
		return nil, ""
	case !found && base == "":
		c.addf(o.at("model"), "is left out: it is not known whose model that is")
		return nil, ""
	case !found:
		c.addf(o.at("model"), "is not known; its host is taken for one that speaks OpenAI's dialect")
		h, prefix = host{kind: openAI}, "custom"
	}
	p = &provider{id: strings.ReplaceAll(strings.TrimSuffix(prefix, "_chat"), "_", "-"), kind: h.kind, preset: h.preset, baseURL: h.baseURL}
	if prefix == "fireworks_ai" && !strings.Contains(name, "/") && name != "*" {
		name = "accounts/fireworks/models/" + name
	}
	version := firstText(o, "api_version")
	if version == "" {
		version = firstText(credential, "api_version")
	}
	if base != "" && !c.point(p, o, h, base, &version) {
		return nil, ""
	}
	if p.kind == "azure" {
		p.version = reference(version)
	} else if version != "" {
		c.addf(o.at("api_version"), "is Azure's")
	}
	if p.baseURL == "" && p.preset == "" {
		c.addf(o.path, "is left out: there is no api_base")
		return nil, ""
	}
	c.readKey(p, o, credential, h)
	c.readHeaders(p, o)
	if n, set := o.number("max_parallel_requests"); set && n >= 1 {
		p.concurrency = int(min(n, 1e6))
	}
	p.strict = c.settings.strict
	if drop := o.flag("drop_params"); drop != nil {
		p.strict = !*drop
	}
	return p, literal(name)
}

// point sends p to their api_base. It is false, with a note, if that is no address.
func (c *conversion) point(p *provider, o *object, h host, base string, version *string) bool {
	if strings.HasPrefix(base, environPrefix) {
		p.baseURL = reference(base)
		if h.suffix != "" {
			p.baseURL += h.suffix
			c.addf(o.at("api_base"), "its variable is taken to end without %s", h.suffix)
		}
		return true
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		c.addf(o.at("api_base"), "is no address that can be used (http or https, a host, no password), and the deployment is left out")
		return false
	}
	if v := u.Query().Get("api-version"); v != "" && *version == "" {
		*version = v
	}
	u.RawQuery, u.Fragment = "", ""
	for _, end := range []string{"/", "/chat/completions", "/v1/messages", "/openai/deployments/" + o.text("model")} {
		u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, end), "/")
	}
	if before, _, cut := strings.Cut(u.Path, "/openai/deployments/"); cut {
		u.Path = before
	}
	if h.suffix != "" && !strings.HasSuffix(u.Path, h.suffix) {
		u.Path += h.suffix
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		u.Host = strings.Replace(u.Host, u.Hostname(), "127.0.0.1", 1)
		c.addf(o.at("api_base"), "names every address of a machine; 127.0.0.1 is asked")
	} else if err != nil && insideName(u.Hostname()) {
		p.private = true
	}
	p.baseURL = literal(u.String())
	if known, ok := providers.PresetOf(p.preset); ok && p.preset == openAI && p.baseURL != known.BaseURL {
		p.preset = "" // a host that only speaks its dialect
	}
	return true
}

// insideName tells whether a host's name is one of a private network, which has to be allowed.
func insideName(name string) bool {
	if name == "localhost" {
		return false
	}
	if !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc([]string{".local", ".internal", ".lan", ".svc", ".home.arpa", ".test", ".corp"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}

// readKey reads the credential, or names the variable that they would read.
func (c *conversion) readKey(p *provider, o, credential *object, h host) {
	from := o
	text := o.text("api_key")
	if text == "" && credential != nil {
		from, text = credential, credential.text("api_key")
	}
	name, fromEnv := strings.CutPrefix(text, environPrefix)
	switch {
	case text == "":
		preset, _ := providers.PresetOf(p.preset)
		if p.keyEnv = h.keyEnv; p.keyEnv == "" {
			p.keyEnv = preset.KeyEnv
		}
	case fromEnv && variableName.MatchString(name):
		p.keyEnv = name
	case fromEnv:
		c.addf(from.at("api_key"), "names no variable that there can be; the provider has no key")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		c.addf(from.at("api_key"), "is no key that can travel in a header; the provider has none")
	default:
		p.keyValue = literal(text)
		c.addf(from.at("api_key"), "stands in the file itself; put it into a variable and name that (keys[].env)")
	}
}

// readHeaders reads what is sent with every request.
func (c *conversion) readHeaders(p *provider, o *object) {
	add := func(path, name, value string) {
		known := slices.ContainsFunc(p.headers, func(h [2]string) bool { return strings.EqualFold(h[0], name) })
		if known || !headerName.MatchString(name) || reservedHeader[strings.ToLower(name)] || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			c.addf(path, "is no header that a provider can be given")
			return
		}
		p.headers = append(p.headers, [2]string{name, reference(value)})
	}
	for _, member := range []string{"extra_headers", "headers"} {
		if list := o.object(member); list != nil {
			for _, m := range list.members {
				name := fmt.Sprint(m.Key)
				add(list.at(name), name, list.text(name))
			}
		}
	}
	organization, set := o.take("organization")
	if _, many := organization.([]any); many {
		c.addf(o.at("organization"), "is a list: only one account can be asked")
	} else if set {
		add(o.at("organization"), "OpenAI-Organization", fmt.Sprint(organization))
	}
}

func firstText(o *object, names ...string) string {
	text := ""
	for _, name := range names {
		if value := o.text(name); text == "" {
			text = value
		}
	}
	return text
}
