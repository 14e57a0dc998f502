package translate

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// unsayable refuses a request that another dialect has no words for.
func unsayable(param, format string, args ...any) error {
	return &Refused{Param: param, Message: fmt.Sprintf(format, args...)}
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
