package translate

import "github.com/tidwall/gjson"

// Members of requests, read as what they have to be. One that is null or left out is an empty text.

// textAt is a member that has to be a string.
func textAt(v gjson.Result, param string) (string, error) {
	switch v.Type {
	case gjson.Null:
		return "", nil
	case gjson.String:
		return v.Str, nil
	}
	return "", broken(param, "%s has to be a string.", param)
}

// numberAt is a member that has to be a number, as it was spelled.
func numberAt(v gjson.Result, param string) (string, error) {
	switch v.Type {
	case gjson.Null:
		return "", nil
	case gjson.Number:
		return v.Raw, nil
	}
	return "", broken(param, "%s has to be a number.", param)
}

// flagAt is a member that has to be true or false, and is read as that word.
func flagAt(v gjson.Result, param string) (string, error) {
	switch v.Type {
	case gjson.Null:
		return "", nil
	case gjson.True, gjson.False:
		return v.Raw, nil
	}
	return "", broken(param, "%s has to be true or false.", param)
}

// objectAt is a member that has to be an object, as it was written.
func objectAt(v gjson.Result, param string) (string, error) {
	switch {
	case v.Type == gjson.Null:
		return "", nil
	case v.IsObject():
		return v.Raw, nil
	}
	return "", broken(param, "%s has to be an object.", param)
}

// listAt is a member that has to be a list.
func listAt(v gjson.Result, param string) ([]gjson.Result, error) {
	switch {
	case v.Type == gjson.Null:
		return nil, nil
	case v.IsArray():
		return v.Array(), nil
	}
	return nil, broken(param, "%s has to be a list.", param)
}
