package dashboard

import (
	"fmt"
	"testing"
)

// TestModules runs functions of the page's own modules that decide what is shown.
func TestModules(t *testing.T) {
	w := newWorld(t, nil, up)
	p := open(t, w.URL)
	type cases = map[string]string // an expression of the module m, and its value as JSON
	at := func(path string) string {
		return fmt.Sprintf(`(() => { const s = "%s"; const { start, end } = m.positionOf(s, %s); return s.slice(start, end); })()`,
			`{\n \"a\": {\"b\": [1, {\"c\": \"x, ]}\"}]},\n \"d\": \"\\\"\" , \"e\": -2.5}`, quoted(path))
	}
	for module, table := range map[string]cases{
		"core/position.js": {
			at("a.b[0]"):     `"1"`,
			at("a.b[1].c"):   `"\"x, ]}\""`,
			at("d"):          `"\"\\\"\""`,
			at("e"):          `"-2.5"`,
			at("a.b[1].zzz"): `"{\"c\": \"x, ]}\"}"`,
			at("nothing"):    `""`,
		},
		"core/format.js": {
			`m.duration(340)`:                          `"340 ms"`,
			`m.duration(9949)`:                         `"9.9 s"`,
			`m.duration(9999)`:                         `"10 s"`,
			`m.duration(200_000)`:                      `"3 min 20 s"`,
			`m.duration(7_200_000)`:                    `"2 h"`,
			`m.countdown(40)`:                          `"0.0 s"`,
			`m.countdown(59_001)`:                      `"1 min"`,
			`m.countdown(-5)`:                          `"0.0 s"`,
			`m.breakerName("target:openai/org/model")`: `{"scope":"target","provider":"openai","own":"org/model"}`,
			`m.breakerName("provider:a b")`:            `{"scope":"provider","provider":"a b","own":"a b"}`,
		},
		"parts/lane.js": {
			`m.stretches([], 100, 0, "OPEN")`: `[{"state":"OPEN","from":0,"to":100}]`,
			`m.stretches([{ from: "DEGRADED", to: "OPEN", at: new Date(60) }, { from: "CLOSED", to: "DEGRADED", at: new Date(20) }].map((t) => ({ ...t, at: t.at.toISOString() })), 100, 0, "OPEN")`: `[{"state":"CLOSED","from":0,"to":20},{"state":"DEGRADED","from":20,"to":60},{"state":"OPEN","from":60,"to":100}]`,
			`m.stretches([{ from: "CLOSED", to: "OPEN", at: new Date(10).toISOString() }], 100, 50, "OPEN")`:                                                                                         `[{"state":"OPEN","from":50,"to":100}]`,
		},
		"parts/meter.js": {
			`m.scale({ measure: "decay", measure_value: 3, failure_threshold: 5, degraded_at: 3 }).words`:                                                                  `"3 of 5 failures"`,
			`m.scale({ measure: "decay", measure_value: 1, failure_threshold: 1, degraded_at: 1 }).marks`:                                                                  `"opens at 1"`,
			`m.scale({ measure: "consecutive", measure_value: 1, failure_threshold: 5, degraded_at: 3 }).words`:                                                            `"1 of 5 failures in a row"`,
			`m.scale({ measure: "window", measure_value: 0.375, failure_threshold: 5, degraded_at: 0.3 }).words`:                                                           `"37.5 % of requests failed"`,
			`m.scale({ measure: "decay", measure_value: 2, failure_threshold: 0, degraded_at: 0 }).marks`:                                                                  `"never opens by count"`,
			`(({ value, mark, limit }) => value === limit && mark / limit === 0.6)(m.scale({ measure: "decay", measure_value: 5, failure_threshold: 5, degraded_at: 3 }))`: `true`,
		},
		"parts/waterfall.js": {
			`m.plan({ queue_ms: 10, total_ms: 100, attempts: [{ outcome: "skipped", ms: 0 }, { outcome: "failed", ms: 30 }, { outcome: "ok", ms: 60 }] }).placed.map((p) => [p.from, p.to])`: `[[10,10],[10,40],[40,100]]`,
			`m.plan({ queue_ms: 0, total_ms: 0, attempts: [] }).total`: `1`,
			`m.plan({ queue_ms: 50, total_ms: 140, attempts: [{ outcome: "failed", start_ms: 10, ms: 30 }, { outcome: "skipped", start_ms: null, ms: 0 }, { outcome: "ok", start_ms: 80, ms: 60 }] }).placed.map((p) => [p.since, p.from, p.to])`: `[[0,10,40],[40,40,40],[40,80,140]]`,
			`m.plan({ queue_ms: 90, total_ms: 100, attempts: [{ outcome: "failed", start_ms: 0, ms: 10 }] }).after`:                                                                                                                               `90`,
			`m.plan({ queue_ms: 0, total_ms: 12, attempts: [{ outcome: "ok", start_ms: 2, ms: 10 }] }).placed.map((p) => [p.since, p.from, p.to])`:                                                                                                `[[2,2,12]]`,
		},
		"core/schema.js": {
			`m.written({ name: "a", version: 3, managed_by: "api", keepalive: "1s", keepalive_ms: 1000, hold: { time_ms: 1, version: "kept" } })`: `{"name":"a","keepalive":"1s","hold":{"version":"kept"}}`,
		},
		"parts/conflict.js": {
			`m.differences({ a: 1, b: [1], c: 2 }, { a: 1, b: [2], d: 1 })`: `["b","c","d"]`,
		},
	} {
		for expression, want := range table {
			got := eval[string](p, `import("/assets/`+module+`").then((m) => JSON.stringify(`+expression+`))`)
			if got != want {
				t.Errorf("%s: %s is %s, want %s", module, expression, got, want)
			}
		}
	}
}
