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

// object reads members of one object of a request.
type object struct {
	of   gjson.Result
	path string
	err  error // of the first member that isn't what it has to be
}

// read reads a member with one of the functions above.
func (o *object) read(name string, as func(v gjson.Result, param string) (string, error)) string {
	value, err := as(o.of.Get(name), o.path+"."+name)
	if o.err == nil {
		o.err = err
	}
	return value
}

func (o *object) text(name string) string { return o.read(name, textAt) }
func (o *object) strict() string          { return o.read("strict", flagAt) }
func (o *object) json(name string) string { return o.read(name, objectAt) }

// need reads a member that has to be there and a string that isn't empty.
func (o *object) need(name string) string {
	value := o.text(name)
	if o.err == nil && value == "" {
		o.err = broken(o.path+"."+name, "%s.%s is missing.", o.path, name)
	}
	return value
}
