package translate

import (
	"slices"
	"strconv"
	"strings"
)

// geminiModel is what a model's name tells of what it can be asked.
type geminiModel struct {
	generation int // 2 of gemini-2.5-pro; the newest that is known if the name tells none
	thinks     thinking
}

// thinking is how a model is told how much to think: not at all, in tokens between bounds, or with a level's name.
type thinking struct {
	levels           bool
	least, most, off int // tokens; off is what comes nearest to none
}

// newestGemini is the generation of names such as gemini-flash-latest.
const newestGemini = 3

// otherFamilies are the starts of names of models that Gemini's hosts serve and that can do less.
var otherFamilies = []string{"gemma", "learnlm", "tunedModels/"}

// geminiBudgets are the bounds of the models that count their thoughts in tokens, by what stands behind "gemini-" in
// their names. The first that fits holds.
var geminiBudgets = []struct {
	name string
	thinking
}{
	{"2.5-flash-lite", thinking{least: 512, most: 24_576}},
	{"2.5-flash", thinking{least: 1, most: 24_576}},
	{"2.5-", thinking{least: 128, most: 32_768, off: 128}},
}

func geminiModelOf(name string) geminiModel {
	name = strings.TrimPrefix(name, "models/")
	if slices.ContainsFunc(otherFamilies, func(start string) bool { return strings.HasPrefix(name, start) }) {
		return geminiModel{}
	}
	_, version, _ := strings.Cut(name, "gemini-")
	digits := len(version) - len(strings.TrimLeft(version, "0123456789"))
	m := geminiModel{generation: newestGemini}
	if n, err := strconv.Atoi(version[:digits]); err == nil {
		m.generation = n
	}
	m.thinks.levels = m.generation >= 3
	for _, b := range geminiBudgets {
		if strings.HasPrefix(version, b.name) {
			m.thinks = b.thinking
			break
		}
	}
	return m
}

// can tells whether the model thinks at all.
func (t thinking) can() bool { return t.levels || t.most > 0 }

// bounded is a budget that the model takes.
func (t thinking) bounded(tokens int) int {
	if tokens == 0 {
		return t.off
	}
	return min(max(tokens, t.least), t.most)
}

// geminiLevels are the levels that every model with levels knows, by effort.
var geminiLevels = map[string]string{
	"none": "LOW", "minimal": "LOW", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH",
}

// takesFormatAndTools tells whether an answer's form can be asked for where functions may be called.
func (m geminiModel) takesFormatAndTools() bool { return m.generation >= 3 }

// takesMediaInResults tells whether images and files can stand within the result of a function.
func (m geminiModel) takesMediaInResults() bool { return m.generation >= 3 }
