package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const local = `"kind":"openai","base_url":"http://127.0.0.1:1/v1"`

func TestEveryProblemOfAProviderIsTold(t *testing.T) {
	long := strings.Repeat("x", 129)
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"an empty body":      {``, []string{"the document is empty; it must be a JSON object"}},
		"a broken document":  {"{\n \"id\": }", []string{"broken JSON at line 2, column 8: invalid character '}' looking for beginning of value"}},
		"one that is cut":    {`{"id":"a"`, []string{"broken JSON at line 1, column 9: unexpected end of JSON input"}},
		"one too many":       {`{"id":"a"} {}`, []string{"broken JSON at line 1, column 12: invalid character '{' after top-level value"}},
		"no UTF-8":           {"{\"id\":\"\xff\"}", []string{"the document is not valid UTF-8"}},
		"a list":             {`[]`, []string{"must be an object, not a list"}},
		"a depth bomb":       {strings.Repeat("[", 100_000), []string{"nested deeper than 64 levels"}},
		"an object bomb":     {strings.Repeat(`{"a":`, 100_000), []string{"nested deeper than 64 levels"}},
		"nothing in it":      {`{}`, []string{"id: must be given", "kind: must be given: openai, anthropic, gemini, azure or demo"}},
		"an unknown kind":    {`{"id":"a","kind":"opnai"}`, []string{`kind: must be openai, anthropic, gemini, azure or demo, not "opnai"; did you mean "openai"?`}},
		"a version":          {`{"id":"a",` + local + `,"api_version":"v1"}`, []string{`api_version: is for providers of kind azure only`}},
		"a chosen dialect":   {`{"id":"a","kind":"anthropic","dialects":["chat"]}`, []string{`dialects: are not to be chosen: a provider of kind anthropic speaks its own`}},
		"an unknown preset":  {`{"id":"a","kind":"openai","preset":"opnai"}`, []string{`preset: there is no preset "opnai"; did you mean "openai"?`, "base_url: must be given, as in https://api.example.com/v1, unless a preset knows it"}},
		"no base URL":        {`{"id":"a","kind":"openai"}`, []string{"base_url: must be given, as in https://api.example.com/v1, unless a preset knows it"}},
		"a slash in the id":  {`{"id":"a/b",` + local + `}`, []string{`id: must not hold a slash, and is "a/b"`}},
		"a step":             {`{"id":".",` + local + `}`, []string{`id: must not be ".", which can't be named in a URL`}},
		"a step up":          {`{"id":"..",` + local + `}`, []string{`id: must not be "..", which can't be named in a URL`}},
		"an outer blank":     {`{"id":" a",` + local + `}`, []string{`id: must not begin or end with a blank, and is " a"`}},
		"a control char":     {`{"id":"a\u0007",` + local + `}`, []string{`id: must not hold control characters, and is "a\a"`}},
		"an empty id":        {`{"id":"",` + local + `}`, []string{"id: must have 1 to 128 characters, and is empty"}},
		"a long id":          {`{"id":"` + long + `",` + local + `}`, []string{"id: must have 1 to 128 characters, not 129"}},
		"a member twice":     {`{"id":"a","id":"b",` + local + `}`, []string{"id: stands twice"}},
		"a nested one twice": {`{"id":"a",` + local + `,"breaker":{"enforce":true,"enforce":false}}`, []string{"breaker.enforce: stands twice"}},
		"unknown members": {
			`{"id":"a",` + local + `,"maxConcurrency":3,"breaker":{"failure_treshold":3},"zzz":1}`,
			[]string{
				`breaker.failure_treshold: unknown member; did you mean "failure_threshold"?`,
				`maxConcurrency: unknown member; did you mean "max_concurrency"?`,
				`zzz: unknown member; there are id, kind, preset, base_url, dialects, strict, api_version, forward_headers, inject_usage, models, keys, headers, breaker, breaker_scope, timeouts, max_concurrency, queue_timeout, allow_private_network, enabled, managed_by, created_at, updated_at, version`,
			},
		},
		"another case": {`{"ID":"a",` + local + `}`, []string{`ID: unknown member; did you mean "id"?`, "id: must be given"}},
		"wrong types": {
			`{"id":7,` + local + `,"strict":"yes","models":{},"keys":[7],"headers":[],"breaker":[],"max_concurrency":"3","dialects":[1]}`,
			[]string{
				"id: must be a string, not the number 7", "dialects[0]: must be a string, not the number 1",
				"strict: must be true or false, not a string", "models: must be a list, not an object",
				"keys[0]: must be an object, not the number 7", "headers: must be an object of strings, not a list",
				"breaker: must be an object, not a list", "max_concurrency: must be a whole number, not a string",
			},
		},
		"out of range": {
			`{"id":"a",` + local + `,"max_concurrency":1000001,"queue_timeout":"-1s","timeouts":{"connect":"1us"},
			 "breaker":{"failure_threshold":1000001,"half_open_requests":0,"jitter":1.5,"reset_timeout":"0s","window":"5m","degraded_at":0.2,
			 "kinds":{"rate_limit":{"park":"-1s","threshold":-1}}}}`,
			[]string{
				`timeouts.connect: must be 0s or at least 1ms, not 1us`,
				"max_concurrency: must be 0 to 1,000,000, not 1000001",
				"queue_timeout: must be 0s or at least 1ms, not -1s",
				"breaker.failure_threshold: must be 0 to 1000000, not 1000001",
				"breaker.recovers_at: must be less than degraded_at 0.2, not 0.3",
				"breaker.reset_timeout: must be at least 1ms, not 0s",
				"breaker.half_open_requests: must be 1 to 100, not 0",
				"breaker.jitter: must be 0 to 1, not 1.5",
				"breaker.window: must be 1s to 2m0s, not 5m0s",
				"breaker.kinds.rate_limit.threshold: must be 0 to 1000000, not -1",
				"breaker.kinds.rate_limit.park: must be 0 or at least 1ms, not -1s",
			},
		},
		"numbers that are none": {
			`{"id":"a",` + local + `,"max_concurrency":1.5,"breaker":{"failure_threshold":99999999999999999999,"jitter":0.1234567,"enforce":1}}`,
			[]string{
				"breaker.failure_threshold: must be 0 to 1,000,000, not 99999999999999999999",
				"breaker.jitter: must be a number from 0 to 1 with at most 6 decimals, not 0.1234567",
				"breaker.enforce: must be true or false, not the number 1",
				"max_concurrency: must be a whole number, not 1.5",
			},
		},
		"bare numbers as durations": {
			`{"id":"a",` + local + `,"queue_timeout":30,"breaker":{"cooldown":0,"reset_timeout":"soon"}}`,
			[]string{
				`breaker.reset_timeout: must be a duration such as "30s" or "1m30s", not "soon"`,
				`breaker.cooldown: must be a duration with its unit, such as "30s", not the bare number 0`,
				`queue_timeout: must be a duration with its unit, such as "30s", not the bare number 30`,
			},
		},
		"kinds": {
			`{"id":"a",` + local + `,"breaker":{"kinds":{"rate_limt":{},"client_error":{"counts":true},"timeout":{"failover":"sometimes","scope":"key"}}}}`,
			[]string{
				`breaker.kinds.rate_limt: there is no failure kind "rate_limt"; did you mean "rate_limit"?`,
				`breaker.kinds.timeout.failover: must be none, next, sibling_key, larger_window, only_on or before_commit, not "sometimes"`,
				"breaker.kinds.client_error.counts: nobody can be charged for this kind",
			},
		},
		"models": {
			`{"id":"a",` + local + `,"models":["m",{"name":"m"},{"context_window":0},{"name":"n","price":{"input":-1},"script":"x"},{"name":"o","breaker":{"kinds":{"timeout":{"counts":false}}}}]}`,
			[]string{
				"models[2].context_window: must be 1 to 1,000,000,000, not 0",
				"models[3].price.input: must be 0 to 1e+06, not -1",
				`models[4].breaker.kinds.timeout.counts: unknown member; there are threshold, immediate_open, cooldown, park`,
				`models[1]: stands twice: "m" is also models[0]`,
				"models[2].name: must be given",
				"models[3].script: is for providers of kind demo only",
			},
		},
		"keys": {
			`{"id":"a",` + local + `,"keys":[{"name":"k","env":"A","value":"b"},{"name":"k","env":"A"},{"name":"l"},{"env":"sk-proj-123"},{"name":"m","value":"[redacted]"},{"name":"n","value":" "},{"name":"o","env":"A","weight":0}]}`,
			[]string{
				"keys[3].env: must be the name of an environment variable (letters, digits and _); a key itself belongs in value",
				"keys[5].value: must be printable ASCII without blanks, as it travels in a header",
				"keys[6].weight: must be 1 to 1,000,000, not 0",
				"keys[0]: must have env or value, not both",
				`keys[1].name: stands twice: "k" is also keys[0]`,
				"keys[2]: must have env (the name of an environment variable) or value (the key itself)",
				"keys[3].name: must be given",
				"keys[4].value: is the mask of a key that isn't stored: give the key itself",
			},
		},
		"headers": {
			`{"id":"a",` + local + `,"headers":{"Authorization":"Bearer x","x y":"1","x-a":"a\nb","x-a":"2"},"forward_headers":["accept-encoding","cookie"]}`,
			[]string{
				"forward_headers[0]: accept-encoding is never sent to an upstream", "forward_headers[1]: cookie holds a credential",
				"headers.Authorization: authorization holds a credential: it belongs in keys", "headers.x y: is not the name of a header",
				"headers.x-a: must not hold control characters or outer blanks",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, newMemory(), nil)
			_, err := r.CreateProvider(t.Context(), []byte(test.body))
			if got := problemsOf(t, err); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if len(r.Providers()) != 0 || len(r.store.rows[collectionProviders]) != 0 || len(r.applied) != 1 {
				t.Error("something was applied all the same")
			}
		})
	}
}

func TestAScriptThatCanNotBePlayedIsToldWhereItStands(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	_, err := r.CreateProvider(t.Context(), []byte(`{"id":"a","kind":"demo","models":["any",{"name":"m","script":"dance"},{"name":"n","script":"ok words=x"}]}`))
	got := problemsOf(t, err)
	if len(got) != 2 || !strings.HasPrefix(got[0], "models[1].script: ") || !strings.HasPrefix(got[1], "models[2].script: ") {
		t.Errorf("got %q", got)
	}
}

func TestABaseURLIsCheckedWithoutQuotingWhatMayBeSecret(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	for url, want := range map[string]string{
		"ftp://example.com/v1":         "must begin with http:// or https://, as in https://api.example.com/v1",
		"https://user:pw@example.com":  "must not hold a user or a password; credentials belong in keys",
		"https:///v1":                  "must name a host, as in https://api.example.com/v1",
		"https://example.com/v1?key=s": "must not hold a query or a fragment",
		"http://169.254.169.254/v1":    "must not point to a link-local, multicast or metadata address, as 169.254.169.254 is",
		"http://[fe80::1]/v1":          "must not point to a link-local, multicast or metadata address, as fe80::1 is",
		"http://[::ffff:a9fe:a9fe]/":   "must not point to a link-local, multicast or metadata address, as ::ffff:a9fe:a9fe is",
		"http://\x7f":                  "must be a URL such as https://api.example.com/v1",
	} {
		body, err := json.Marshal(map[string]string{"id": "a", "kind": "openai", "base_url": url})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.CreateProvider(t.Context(), body)
		if got := problemsOf(t, err); !slices.Equal(got, []string{"base_url: " + want}) {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func TestEveryProblemOfAComboIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"nothing in it": {`{}`, []string{"name: must be given", "targets: must hold at least one target"}},
		"no targets":    {`{"name":"c","targets":[]}`, []string{"targets: must hold at least one target"}},
		"forms of targets": {
			`{"name":"c","targets":[{},{"provider":"p"},{"model":"m"},{"provider":"p","model":"m","combo":"inner"},{"combo":"c"},{"combo":"inne"},{"combo":"quick"}]}`,
			[]string{
				"targets[0]: must name a provider and a model, or a combo",
				"targets[1].model: must be given",
				"targets[2].provider: must be given",
				"targets[3]: must name a provider and a model, or a combo, not both",
				"targets[4].combo: makes a cycle: c -> c",
				`targets[5].combo: there is no combo "inne"; did you mean "inner"?`,
				`targets[6].combo: "quick" is an alias; name the combo itself, "inner"`,
			},
		},
		"unknown names": {
			`{"name":"c","targets":[{"provider":"q","model":"m"},{"provider":"p","model":"mm"}],"strategy":"prioritty"}`,
			[]string{
				`strategy: must be priority, round_robin, weighted, random, least_busy, p2c, cheapest, fastest, sticky, last_good or auto, not "prioritty"; did you mean "priority"?`,
				`targets[0].provider: there is no provider "q"`,
				`targets[1].model: provider "p" has no model "mm" in its list`,
			},
		},
		"ranges": {
			`{"name":"c","targets":[{"provider":"p","model":"m","weight":-1,"only_on":["timeout","timeout","time"]}],
			 "retry":{"max_retries":-1,"base":"5s","same_target":1001},"keepalive":"-1s","timeouts":{"total":"1ns"},"hold":{"events":-1},
			 "when_exhausted":{"do":"fail","max_wait":1}}`,
			[]string{
				"targets[0].weight: must be 0 to 1,000,000, not -1",
				`targets[0].only_on[1]: stands twice: "timeout" is also at [0]`,
				`targets[0].only_on[2]: there is no failure kind "time"; there are rate_limit, quota_exhausted, billing, auth, permission, model_not_found, context_length, content_policy, unsupported, client_error, overloaded, server_error, timeout, connection, malformed, truncated, model_fault, canceled or local`,
				"retry.max_retries: must be 0 to 1,000, not -1",
				"retry.same_target: must be 0 to 1,000, not 1001",
				"timeouts.total: must be 0s or at least 1ms, not 1ns",
				"keepalive: must be 0s or at least 1ms, not -1s",
				"hold.events: must be 0 to 1,000,000, not -1",
				`when_exhausted.do: must be fail_open, reject or wait, not "fail"`,
				`when_exhausted.max_wait: must be a duration with its unit, such as "30s", not the bare number 1`,
				"retry.base: must be at most 2s, the value of max, not 5s",
			},
		},
		"names": {
			`{"name":"a\nb","aliases":[""," x","a\nb",".."],"targets":[{"combo":"inner"}]}`,
			[]string{
				`name: must not hold control characters, and is "a\nb"`,
				"aliases[0]: must have 1 to 128 characters, and is empty",
				`aliases[1]: must not begin or end with a blank, and is " x"`,
				`aliases[2]: must not hold control characters, and is "a\nb"`,
				`aliases[3]: must not be "..", which can't be named in a URL`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, newMemory(), nil)
			r.provider(`{"id":"p",` + local + `,"models":["m"]}`)
			r.combo(`{"name":"inner","aliases":["quick"],"targets":[{"provider":"p","model":"m"}]}`)
			_, err := r.CreateCombo(t.Context(), []byte(test.body))
			if got := problemsOf(t, err); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestWhatIsShownOfAProviderCanBeGivenToAnotherGateway(t *testing.T) {
	r, other := newRig(t, newMemory(), nil), newRig(t, newMemory(), nil)
	for _, kind := range kindNames {
		r.provider(`{"id":"` + kind + `s","kind":"` + kind + `","base_url":"https://x.example.com"}`)
		p, _ := r.Provider(kind + "s")
		body, _ := json.Marshal(p)
		if _, err := other.CreateProvider(t.Context(), body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestPutBackUnchangedIsAlwaysAcceptedAndChangesNothing(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) {
		o.File = mustParse(t, "defaults: {retry: {base: 50ms}, keepalive: 7s}")
	})
	r.provider(`{"id":"full",` + local + `,"preset":"openai","dialects":["chat","responses"],"strict":true,"forward_headers":["x-a"],"inject_usage":true,
		"models":["plain",{"name":"m","context_window":1000,"price":{"input":0,"output":0.25},"capabilities":[],"max_output_tokens":5,"timeouts":{"idle":"1m"},"breaker":{"enforce":false}}],
		"keys":[{"name":"k","value":"sk-secret","weight":2},{"name":"e","env":"SOME_KEY"}],"headers":{"x-b":"c","x-a":"<&>"},
		"breaker":{"measure":"window","window":"20s","recovers_at":0.123456,"kinds":{"timeout":{"counts":false,"scope":"target","failover":"none","park":"0s"}}},
		"breaker_scope":"target","timeouts":{"connect":"0s"},"max_concurrency":3,"queue_timeout":"1.5s","allow_private_network":true,"enabled":false}`)
	r.provider(`{"id":"least","kind":"openai","preset":"groq"}`)
	r.combo(`{"name":"least","targets":[{"provider":"least","model":"m"}]}`)
	r.combo(`{"name":"full","aliases":["f/ü"],"strategy":"weighted","targets":[{"provider":"full","model":"m","weight":0,"only_on":["timeout"]},{"combo":"least","disabled":true}],
		"retry":{"max_retries":null,"max":"3s","pause_on_failover":true},"timeouts":{"total":"1m","connect":"0s"},"hold":{"events":3,"time":"10ms"},
		"failover_on_content_policy":true,"when_exhausted":{"do":"reject"}}`)
	writes := r.store.writes
	for _, p := range r.Providers() {
		body, _ := json.Marshal(p)
		after, err := r.PutProvider(t.Context(), p.ID, body, "")
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if again, _ := json.Marshal(after); string(again) != string(body) {
			t.Errorf("got  %s\nwant %s", again, body)
		}
	}
	for _, c := range r.Combos() {
		body, _ := json.Marshal(c)
		after, err := r.PutCombo(t.Context(), c.Name, body, "")
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if again, _ := json.Marshal(after); string(again) != string(body) {
			t.Errorf("got  %s\nwant %s", again, body)
		}
	}
	if r.store.writes != writes {
		t.Errorf("%d documents were written", r.store.writes-writes)
	}
}

func TestWhatIsShownAndNotSetIsNotPinnedByPuttingItBack(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	r.provider(`{"id":"p","kind":"openai","preset":"groq"}`)
	c := r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}],"retry":{"max":"3s"}}`)
	body, _ := json.Marshal(c)
	changed := strings.Replace(string(body), `"same_target":0`, `"same_target":1`, 1)
	if _, err := r.PutCombo(t.Context(), "c", []byte(changed), ""); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(t.Context(), mustParse(t, "defaults: {retry: {base: 70ms, max: 9s, same_target: 5}}")); err != nil {
		t.Fatal(err)
	}
	got, _ := r.Combo("c")
	if b, m, s := *got.Retry.Base, *got.Retry.Max, *got.Retry.SameTarget; b.String() != "70ms" || m.String() != "3s" || s != 1 {
		t.Errorf("got base %s, max %s, same_target %d; want the new default, and the two that were set", b, m, s)
	}
}

func TestJSONOfDocumentsHasEveryMember(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	p := r.provider(`{"id":"p",` + local + `,"keys":[{"name":"k","value":"sk-secret"}],"breaker":{"reset_timeout":"1500ms"}}`)
	body, _ := json.Marshal(p)
	want := `{"id":"p","kind":"openai","preset":"","base_url":"http://127.0.0.1:1/v1","dialects":["chat"],"strict":false,"api_version":"","forward_headers":[],"inject_usage":false,"models":[],` +
		`"keys":[{"name":"k","value":"[redacted]","weight":1}],"headers":{},"breaker":{"reset_timeout":"1.5s","reset_timeout_ms":1500},"breaker_scope":"provider","timeouts":{},` +
		`"max_concurrency":0,"queue_timeout":"0s","queue_timeout_ms":0,"allow_private_network":false,"enabled":true,"managed_by":"api",` +
		`"created_at":"2030-01-02T03:04:05.000Z","updated_at":"2030-01-02T03:04:05.000Z","version":1}`
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	c := r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
	body, _ = json.Marshal(c)
	want = `{"name":"c","aliases":[],"strategy":"priority","targets":[{"provider":"p","model":"m","weight":1}],` +
		`"retry":{"max_retries":null,"base":"100ms","base_ms":100,"max":"2s","max_ms":2000,"same_target":0,"pause_on_failover":false},"timeouts":{"total":"0s","total_ms":0},` +
		`"keepalive":"15s","keepalive_ms":15000,"hold":{"events":0,"time":"0s","time_ms":0},"failover_on_content_policy":false,` +
		`"when_exhausted":{"do":"fail_open","probe_wait":"0s","probe_wait_ms":0,"max_wait":"10s","max_wait_ms":10000},"managed_by":"api",` +
		`"created_at":"2030-01-02T03:04:05.000Z","updated_at":"2030-01-02T03:04:05.000Z","version":1}`
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	p := r.provider(`{"id":"p",` + local + `,"keys":[{"name":"k","value":"sk-secret"}]}`)
	_, err := r.CreateProvider(t.Context(), []byte(`{"id":"q",`+local+`,"keys":[{"name":"k","value":"sk-secret\u0001"},{"name":"l","env":"sk-secret"}],"zzz":"sk-secret"}`))
	stored := r.store.rows[collectionProviders]["p"]
	for where, text := range map[string]string{
		"an answer": must(json.Marshal(p)), "the store": string(stored), "an error": err.Error(),
		"a printed provider": fmt.Sprintf("%v %+v %#v", p, p, p), "printed keys": fmt.Sprintf("%+v", p.Keys[0]),
	} {
		if strings.Contains(text, "sk-secret") {
			t.Errorf("%s shows the secret: %s", where, text)
		}
	}
}

func must(b []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func mustParse(t *testing.T, text string) *File {
	t.Helper()
	f, problems := ParseFile([]byte(text), func(string) (string, bool) { return "", false })
	if f == nil {
		t.Fatal(lines(problems))
	}
	return f
}
