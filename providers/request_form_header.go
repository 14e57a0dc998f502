package providers

import (
	"errors"
	"mime"
	"strings"
)

// formField is what the header of a part says.
type formField struct {
	name  string
	file  bool // it has a file's name
	coded bool // its value is not what stands there
}

var errPartHeader = errors.New("no header of a part")

// readPartHeader reads the header of one part. Lines that are folded, and names that readers unescape in different
// ways, are refused.
func readPartHeader(header string) (formField, error) {
	var f formField
	found := false
	for line := range strings.SplitSeq(header, "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isToken(name) || strings.ContainsFunc(value, func(c rune) bool { return c != '\t' && isControl(c) }) {
			return f, badForm("The header of a part of the form can't be read.")
		}
		switch value = strings.TrimSpace(value); strings.ToLower(name) {
		case "content-disposition":
			if found {
				return f, badForm("A part of the form has two dispositions.")
			}
			found = true
			if err := f.read(value); err != nil {
				return f, badForm("The disposition of a part of the form can't be read.")
			}
		case "content-transfer-encoding":
			switch strings.ToLower(value) {
			case "7bit", "8bit", "binary":
			default:
				f.coded = true
			}
		}
	}
	if !found {
		return f, badForm("A part of the form has no disposition.")
	}
	return f, nil
}

// read reads a Content-Disposition.
func (f *formField) read(disposition string) error {
	kind, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return err
	}
	name, named := params["name"]
	if kind != "form-data" || !named || strings.Contains(name, `\`) || extended(disposition) {
		return errPartHeader
	}
	f.name = name
	_, f.file = params["filename"]
	return nil
}

// extended tells whether the name is given in the extended form (RFC 5987), which most readers of forms don't know.
func extended(disposition string) bool {
	for param := range strings.SplitSeq(strings.ToLower(disposition), ";") {
		if strings.HasPrefix(strings.TrimLeft(param, " \t"), "name*") {
			return true
		}
	}
	return false
}
