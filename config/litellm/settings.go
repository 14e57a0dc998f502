package litellm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// settings are what holds for all models.
type settings struct {
	strategy             string // ours; empty: random, as theirs
	retries              int    // -1: not set
	threshold            int    // 0: not set
	reset                string
	observe, strict      bool
	kinds                yaml.MapSlice
	response, firstToken string
	model                string
	maxBody              int64

	fallbacks, tooLong, refused []fallback
	last                        []string // default_fallbacks
	aliases                     []alias
}

// fallback says where requests to a group go when it fails.
type fallback struct {
	path, from string
	to         []string
}

type alias struct{ path, name, of string }

// strategies are ours for theirs.
var strategies = map[string]struct{ ours, note string }{
	"simple-shuffle":         {"random", ""},
	"least-busy":             {"least_busy", ""},
	"latency-based-routing":  {"fastest", "is fastest here: by the time to the first token, not that of the whole answer"},
	"cost-based-routing":     {"cheapest", "is cheapest here: by the prices in models; theirs come with the program"},
	"usage-based-routing":    {"least_busy", "is least_busy here: ohmroute doesn't count tokens by the minute"},
	"usage-based-routing-v2": {"least_busy", "is least_busy here: ohmroute doesn't count tokens by the minute"},
}

// countedKinds are our kinds of failure for the members of allowed_fails_policy.
var countedKinds = map[string]string{
	"AuthenticationErrorAllowedFails": "auth", "TimeoutErrorAllowedFails": "timeout", "RateLimitErrorAllowedFails": "rate_limit",
	"InternalServerErrorAllowedFails": "server_error",
}

const (
	reasonShared = "one process knows everything: there is nothing to share over Redis"
	reasonCache  = "ohmroute caches no answers"
	reasonLogs   = "is a flag here: serve --log-level, --log-format"
	reasonNobody = "client keys are made here with POST /api/v1/keys, or stand in the file"
	reasonAlerts = "alerts come from the metrics (deploy/alerts.yaml)"
)

var settingReasons = map[string]string{
	"redis_host": reasonShared, "redis_port": reasonShared, "redis_password": reasonShared, "redis_url": reasonShared, "redis_db": reasonShared,
	"cache": reasonCache, "cache_params": reasonCache, "cache_responses": reasonCache, "cache_kwargs": reasonCache,
	"success_callback": reasonObservers, "failure_callback": reasonObservers, "callbacks": reasonObservers, "service_callback": reasonObservers,
	"service_callbacks": reasonObservers, "turn_off_message_logging": "prompts are never logged",
	"set_verbose": reasonLogs, "json_logs": reasonLogs, "debug_level": reasonLogs,
	"database_url": reasonNobody, "store_model_in_db": reasonNobody, "custom_auth": reasonNobody, "enable_jwt_auth": reasonNobody,
	"key_management_system": reasonNobody, "key_generation_settings": reasonNobody,
	"alerting": reasonAlerts, "alerting_threshold": reasonAlerts, "alert_types": reasonAlerts, "alerting_args": reasonAlerts,
	"max_budget": reasonBudget, "budget_duration": reasonBudget, "provider_budget_config": reasonBudget,
	"default_litellm_params": reasonRequest, "modify_params": reasonRequest,
	"retry_policy":                      "which failures move on is the kind's: breaker.kinds.<kind>.failover",
	"model_group_retry_policy":          "which failures move on is the kind's: breaker.kinds.<kind>.failover",
	"retry_after":                       "the pause is retry.base, and a Retry-After is obeyed",
	"enable_tag_filtering":              "ohmroute doesn't route by tags: make a combo for each",
	"background_health_checks":          "breakers learn from requests; a probe is a request",
	"max_fallbacks":                     "every target is asked at most once: retry.max_retries limits them",
	"max_parallel_requests":             "limits are set for each provider (max_concurrency) and client key (parallel)",
	"global_max_parallel_requests":      "limits are set for each provider (max_concurrency) and client key (parallel)",
	"default_max_parallel_requests":     "limits are set for each provider (max_concurrency) and client key (parallel)",
	"pass_through_endpoints":            "only the endpoints of docs/http-api.md are served",
	"forward_client_headers_to_llm_api": "name the headers in a provider's forward_headers",
}

// readSettings reads the three mappings of settings; what stands in two of them is the router's.
func (c *conversion) readSettings(root *object) {
	router, module, general := root.object("router_settings"), root.object("litellm_settings"), root.object("general_settings")
	s := &c.settings
	s.retries = -1
	for _, o := range []*object{module, router} {
		c.readRouting(o)
		c.readCooldowns(o)
		c.readFallbacks(o)
	}
	if n, set := module.number("request_timeout"); set && n > 0 && s.response == "" {
		s.response, s.firstToken = duration(n), duration(n)
	}
	if drop := module.flag("drop_params"); drop != nil {
		s.strict = !*drop
	}
	c.readGeneral(general)
	for _, o := range []*object{module, router, general} {
		o.leftovers(settingReasons)
	}
}

func (c *conversion) readRouting(o *object) {
	s := &c.settings
	if name := o.text("routing_strategy"); name != "" {
		if found, known := strategies[name]; known {
			if s.strategy = found.ours; found.note != "" {
				c.addf(o.at("routing_strategy"), "%s", found.note)
			}
		} else {
			c.addf(o.at("routing_strategy"), "is not known; random takes its place")
		}
	}
	if n, set := o.number("num_retries"); set {
		s.retries = int(min(n, 100))
	}
	if n, set := o.number("timeout"); set && n > 0 {
		s.response, s.firstToken = duration(n), duration(n)
	}
	if n, set := o.number("stream_timeout"); set && n > 0 {
		s.firstToken = duration(n)
	}
	if aliases := o.object("model_group_alias"); aliases != nil {
		for _, m := range aliases.members {
			name, of := fmt.Sprint(m.Key), fmt.Sprint(m.Value)
			if hidden, ok := m.Value.(yaml.MapSlice); ok {
				of = (&object{members: hidden, notes: &c.notes, path: aliases.at(name)}).text("model")
			}
			s.aliases = append(s.aliases, alias{aliases.at(name), name, of})
		}
	}
	o.skip("enable_pre_call_checks", "enable_pre_call_check") // what is declared of a model is always looked at
}

func (c *conversion) readCooldowns(o *object) {
	s := &c.settings
	if n, set := o.number("allowed_fails"); set {
		s.threshold = int(min(math.Ceil(n), 1e5)) + 1
	}
	if n, set := o.number("cooldown_time"); set && n > 0 {
		s.reset = duration(n)
	}
	if off := o.flag("disable_cooldowns"); off != nil {
		s.observe = *off
	}
	policy := o.object("allowed_fails_policy")
	if policy == nil {
		return
	}
	for _, m := range policy.members {
		name := fmt.Sprint(m.Key)
		kind, counted := countedKinds[name]
		if !counted {
			c.addf(policy.at(name), "is no failure that ohmroute counts")
			policy.skip(name)
		} else if n, set := policy.number(name); set {
			s.kinds = append(s.kinds, yaml.MapItem{Key: kind, Value: yaml.MapSlice{{Key: "threshold", Value: int(min(n, 1e5)) + 1}}})
		}
	}
}

func (c *conversion) readFallbacks(o *object) {
	s := &c.settings
	for name, list := range map[string]*[]fallback{"fallbacks": &s.fallbacks, "context_window_fallbacks": &s.tooLong, "content_policy_fallbacks": &s.refused} {
		if found := c.fallbackList(o, name); found != nil {
			*list = found
		}
	}
	for i, item := range o.list("default_fallbacks") {
		if to := c.fallbackName(fmt.Sprintf("%s[%d]", o.at("default_fallbacks"), i), item); to != "" && !slices.Contains(s.last, to) {
			s.last = append(s.last, to)
		}
	}
}

func (c *conversion) fallbackList(o *object, name string) (all []fallback) {
	for i, item := range o.list(name) {
		path := fmt.Sprintf("%s[%d]", o.at(name), i)
		from := c.asObject(path, item)
		if from == nil {
			continue
		}
		for _, m := range from.members {
			f := fallback{path: from.at(m.Key), from: fmt.Sprint(m.Key)}
			list, ok := m.Value.([]any)
			if !ok {
				list = []any{m.Value}
			}
			for j, to := range list {
				if text := c.fallbackName(fmt.Sprintf("%s[%d]", f.path, j), to); text != "" {
					f.to = append(f.to, text)
				}
			}
			all = append(all, f)
		}
	}
	return all
}

// fallbackName is the model of a place in a list of fallbacks, which may carry a request of its own.
func (c *conversion) fallbackName(path string, item any) string {
	members, own := item.(yaml.MapSlice)
	if !own {
		return fmt.Sprint(item)
	}
	o := &object{path: path, members: members, notes: &c.notes}
	name := o.text("model")
	o.leftovers(map[string]string{"messages": reasonRequest})
	return name
}

func (c *conversion) readGeneral(o *object) {
	s := &c.settings
	s.model = o.text("completion_model")
	if n, set := o.number("max_request_size_mb"); set && n > 0 {
		s.maxBody = int64(min(max(n*(1<<20), 1<<10), 1<<30))
	}
	master := o.text("master_key")
	if master == "" {
		return
	}
	key := yaml.MapSlice{{Key: "name", Value: "litellm-master-key"}}
	if name, env := strings.CutPrefix(master, environPrefix); env && variableName.MatchString(name) {
		key = append(key, yaml.MapItem{Key: "env", Value: name})
	} else {
		sum := sha256.Sum256([]byte(master))
		key = append(key, yaml.MapItem{Key: "sha256", Value: hex.EncodeToString(sum[:])})
	}
	c.keys = key
	c.addf(o.at("master_key"), "goes on as a client key; the admin side has a token of its own (admin.token in the data directory)")
}

// duration is a number of seconds as we write it.
func duration(seconds float64) string {
	d := max(time.Duration(min(seconds, 1e9)*float64(time.Second)).Round(time.Millisecond), time.Millisecond)
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}
