package config

import "strconv"

// form is what a node is.
type form uint8

const (
	formNull form = iota
	formFlag
	formNumber
	formText
	formList
	formObject
)

// formNames say what was found, in a message.
var formNames = [...]string{
	formNull: "null", formFlag: "true or false", formNumber: "a number", formText: "a string",
	formList: "a list", formObject: "an object",
}

// node is one value of a document, the same for JSON and YAML. Nothing is lost that a reader may want to complain
// about: members keep their order and their duplicates, numbers their spelling.
type node struct {
	form    form
	text    string // of text, and the spelling of a number or flag
	items   []node // of a list
	members []member
	// expanded marks an unquoted YAML scalar with a variable in it: `max_concurrency: ${LIMIT}` may be a number.
	expanded bool
}

type member struct {
	name  string
	value node
}

// maxDepth bounds the nesting of a document; configuration needs 8.
const maxDepth = 64

// lookup finds a member by its exact name; nil if it isn't there.
func (n *node) lookup(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i].value
		}
	}
	return nil
}

// equal compares two values by what they say: spelling of numbers counts, order of members doesn't.
func (n *node) equal(other *node) bool {
	if n.form != other.form || n.text != other.text ||
		len(n.items) != len(other.items) || len(n.members) != len(other.members) {
		return false
	}
	for i := range n.items {
		if !n.items[i].equal(&other.items[i]) {
			return false
		}
	}
	for i := range n.members {
		twin := other.lookup(n.members[i].name)
		if twin == nil || !n.members[i].value.equal(twin) {
			return false
		}
	}
	return true
}

// within appends a member's name to a path.
func within(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// at appends a list's index to a path.
func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
