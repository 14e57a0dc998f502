package circuitbreaker

// kindCounts holds a count per failure kind. Kinds are few and come from the
// program, so a slice in order of appearance is the fastest map.
type kindCounts []kindCount

type kindCount struct {
	kind Kind
	n    int64
}

// add adds n, which may be negative, to the count of kind and returns the new count.
func (c *kindCounts) add(kind Kind, n int64) int64 {
	for i := range *c {
		if entry := &(*c)[i]; entry.kind == kind {
			entry.n += n
			return entry.n
		}
	}
	*c = append(*c, kindCount{kind, n})
	return n
}

// decay takes one from every count, never under 0.
func (c *kindCounts) decay() {
	for i := range *c {
		(*c)[i].n = max((*c)[i].n-1, 0)
	}
}

// clear sets every count to 0 and keeps the memory.
func (c *kindCounts) clear() { *c = (*c)[:0] }

// addTo adds the counts to m and returns it, made if needed. Zeros are left out.
func (c *kindCounts) addTo(m map[Kind]int) map[Kind]int {
	for _, entry := range *c {
		if entry.n == 0 {
			continue
		}
		if m == nil {
			m = make(map[Kind]int, len(*c))
		}
		m[entry.kind] += int(entry.n)
	}
	return m
}
