package providers

import (
	"fmt"
	"net/http"
)

// BadRequest is a client's fault that no target needs to be asked about (spec: api.md, errors).
type BadRequest struct {
	Status  int    // 400 or 413
	Code    string // error.code
	Param   string // error.param, empty for null
	Message string
}

func (e *BadRequest) Error() string { return e.Message }

func badRequest(code, param, format string, args ...any) *BadRequest {
	return &BadRequest{Status: http.StatusBadRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...)}
}

func missing(param string) *BadRequest {
	return badRequest("missing_required_parameter", param, "Missing required parameter: '%s'.", param)
}

func wrongType(param, want string, got byte) *BadRequest {
	return badRequest("invalid_type", param, "Invalid type for '%s': expected %s, but got %s instead.", param, want, typeName(got))
}

// typeName names a JSON value by its first byte.
func typeName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
