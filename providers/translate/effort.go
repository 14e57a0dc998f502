package translate

import "strconv"

// efforts are how much a model is asked to think, from the least to the most, and the tokens that each stands for where
// a dialect counts them.
var efforts = []struct {
	name   string
	tokens int
}{
	{"none", 0},
	{"minimal", 1024},
	{"low", 2048},
	{"medium", 8192},
	{"high", 16384},
	{"xhigh", 32768},
}

// otherEfforts are names that some hosts have for efforts of the table.
var otherEfforts = map[string]string{"off": "none", "max": "xhigh", "ultra": "xhigh"}

// effortNamed is the effort of that name, and empty if there is none.
func effortNamed(name string) string {
	if other, ok := otherEfforts[name]; ok {
		return other
	}
	for _, e := range efforts {
		if e.name == name {
			return name
		}
	}
	return ""
}

// tokens is how many tokens the model may think, 0 for not at all; ok is false if nothing was said.
func (r reasoning) tokens() (n int, ok bool) {
	if n, err := strconv.Atoi(r.budget); err == nil && n >= 0 {
		return n, true
	}
	for _, e := range efforts {
		if e.name == r.effort {
			return e.tokens, true
		}
	}
	return 0, false
}

// said is the level that an OpenAI target is told. Few of its models know none, which is left unsaid where the client
// meant no more than what is usual.
func (r reasoning) said() string {
	if r.usual {
		return ""
	}
	return r.level()
}

// level is the effort that was said, or the largest that the budget pays for; empty if nothing was said. Budgets mean no
// more than low, medium and high: many models don't know the efforts around them.
func (r reasoning) level() string {
	if r.effort != "" {
		return r.effort
	}
	n, ok := r.tokens()
	switch {
	case !ok:
		return ""
	case n == 0:
		return "none"
	}
	level := "low"
	for _, e := range efforts {
		if n >= e.tokens && (e.name == "medium" || e.name == "high") {
			level = e.name
		}
	}
	return level
}
