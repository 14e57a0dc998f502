package config

import (
	"slices"
	"strings"
)

// didYouMean finds the known name that a mistyped one most likely stands for, and says so; "" if none is near.
func didYouMean(name string, known []string) string {
	best, distance := "", 1+min(1+len(name)/6, len(name)/3) // of names of 1 or 2 letters, only another case
	for _, candidate := range known {
		if d := editDistance(fold(name), fold(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + quote(best) + "?"
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// fold makes maxConcurrency, max-concurrency and max_concurrency alike.
func fold(name string) string { return separators.Replace(strings.ToLower(name)) }

// editDistance counts the insertions, deletions, replacements and swaps of neighbours between two names. Names of
// more than 64 bytes are far from everything: the cost is bounded.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	older, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, last = last, row
	}
	return last[len(b)]
}

// oneOf lists names for a message: `priority, random or weighted`.
func oneOf(names []string) string { return joined(names, "or") }

func joined(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// among is the rule of a text that must be one of some words.
func among(words ...string) rule {
	return func(value string) string {
		if slices.Contains(words, value) {
			return ""
		}
		return "must be " + oneOf(words) + ", not " + quote(value) + didYouMean(value, words)
	}
}
