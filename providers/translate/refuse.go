package translate

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// unsayable refuses a request that another dialect has no words for.
func unsayable(param, format string, args ...any) error {
	return &Refused{Param: param, Message: fmt.Sprintf(format, args...)}
}

// emptyAlike are members that are objects and say nothing if they are empty.
var emptyAlike = []string{"metadata", "logit_bias", "caller", "citations", "context_management", "extra_body", "extra_content", "provider"}

// idle tells whether a member that nobody reads says nothing. An empty object may: that something is wanted, with its
// defaults.
func idle(name string, v gjson.Result) bool {
	return unset(v) && (!v.IsObject() || slices.Contains(emptyAlike, name))
}

// unset tells whether a member says no more than its absence: null, false, or something empty.
func unset(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return true
	case gjson.String:
		return v.Str == ""
	case gjson.JSON:
		empty := true
		v.ForEach(func(_, _ gjson.Result) bool {
			empty = false
			return false
		})
		return empty
	}
	return false
}
