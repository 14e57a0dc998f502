package simulate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/config"
)

// sort is what a value of a script is.
type sort uint8

const (
	isNull sort = iota
	isFlag
	isNumber
	isText
	isList
	isObject
)

var sortNames = [...]string{isNull: "null", isFlag: "true or false", isNumber: "a number", isText: "a string", isList: "a list", isObject: "an object"}

// value is one value of a script, with the spelling of numbers and the order of members.
type value struct {
	sort    sort
	text    string
	items   []value
	members []member
}

type member struct {
	name  string
	value value
}

// Bounds of a script's text: its nesting, and its values, those of an alias counted at each use.
const (
	maxDepth  = 64
	maxValues = 500_000
)

// parse reads a YAML text. A problem without a path means that there is no value.
func parse(script []byte) (v value, problems []config.Problem) {
	defer func() {
		if r := recover(); r != nil { // the parser's
			v, problems = value{}, []config.Problem{{Message: "broken YAML: the parser gave up on it"}}
		}
	}()
	if config.BracketDepth(script) > maxDepth {
		return value{}, []config.Problem{{Message: errDeep.Error()}}
	}
	file, err := parser.ParseBytes(script, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return value{}, []config.Problem{{Message: config.ExplainYAML(err)}}
	}
	docs := slices.DeleteFunc(slices.Clone(file.Docs), func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(docs) != 1 {
		return value{}, []config.Problem{{Message: fmt.Sprintf("holds %d documents; it must be one", len(docs))}}
	}
	d := decoder{anchors: map[string]value{}, left: maxValues}
	if v, err = d.value(docs[0].Body, 0); err != nil {
		return value{}, []config.Problem{{Message: err.Error()}}
	}
	return v, nil
}

var (
	errDeep = fmt.Errorf("is nested deeper than %d levels", maxDepth)
	errLong = fmt.Errorf("holds more than %d values", maxValues)
)

// decoder turns the parser's nodes into values, aliases and merge keys resolved.
type decoder struct {
	anchors map[string]value
	left    int
}

func (d *decoder) value(n ast.Node, depth int) (value, error) {
	if d.left--; d.left < 0 {
		return value{}, errLong
	}
	if depth > maxDepth {
		return value{}, errDeep
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return d.mapping(n.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		v := value{sort: isList}
		for _, item := range n.Values {
			next, err := d.value(item, depth+1)
			if err != nil {
				return value{}, err
			}
			v.items = append(v.items, next)
		}
		return v, nil
	case *ast.AnchorNode:
		v, err := d.value(n.Value, depth)
		d.anchors[n.Name.GetToken().Value] = v
		return v, err
	case *ast.AliasNode:
		v, known := d.anchors[n.Value.GetToken().Value]
		if !known {
			return value{}, fmt.Errorf("names an anchor that isn't there: %s", n.Value.GetToken().Value)
		}
		d.left -= v.size()
		return v, nil
	default:
		return scalar(n)
	}
}

func (v *value) size() int {
	size := 1
	for i := range v.items {
		size += v.items[i].size()
	}
	for i := range v.members {
		size += v.members[i].value.size()
	}
	return size
}

func (d *decoder) mapping(pairs []*ast.MappingValueNode, depth int) (value, error) {
	v := value{sort: isObject}
	var merged []member
	for _, pair := range pairs {
		next, err := d.value(pair.Value, depth+1)
		if err != nil {
			return value{}, err
		}
		if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
			merged = append(merged, next.members...)
			continue
		}
		name := pair.Key.GetToken().Value
		if s, ok := pair.Key.(*ast.StringNode); ok {
			name = s.Value
		}
		v.members = append(v.members, member{name, next})
	}
	for _, m := range merged {
		if v.lookup(m.name) == nil {
			v.members = append(v.members, m)
		}
	}
	return v, nil
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func scalar(n ast.Node) (value, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		if !quoted && plainNumber.MatchString(n.Value) {
			return value{sort: isNumber, text: n.Value}, nil
		}
		return value{sort: isText, text: n.Value}, nil
	case *ast.LiteralNode:
		return value{sort: isText, text: n.Value.Value}, nil
	case *ast.IntegerNode:
		return value{sort: isNumber, text: fmt.Sprint(n.Value)}, nil
	case *ast.FloatNode:
		return value{sort: isNumber, text: strings.ReplaceAll(n.Token.Value, "_", "")}, nil
	case *ast.BoolNode:
		return value{sort: isFlag, text: strconv.FormatBool(n.Value)}, nil
	case *ast.NullNode, nil:
		return value{}, nil
	default:
		return value{}, fmt.Errorf("has a value that isn't used here, at line %d", n.GetToken().Position.Line)
	}
}

// lookup finds a member, nil if it isn't there.
func (v *value) lookup(name string) *value {
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// json appends the value as JSON, which is YAML too.
func (v *value) json(b []byte) []byte {
	switch v.sort {
	case isText:
		return gjson.AppendJSONString(b, v.text)
	case isList:
		b = append(b, '[')
		for i := range v.items {
			b = append(v.items[i].json(b), ',')
		}
		return append(trimComma(b), ']')
	case isObject:
		b = append(b, '{')
		for i := range v.members {
			b = append(gjson.AppendJSONString(b, v.members[i].name), ':')
			b = append(v.members[i].value.json(b), ',')
		}
		return append(trimComma(b), '}')
	case isFlag, isNumber:
		return append(b, v.text...)
	default:
		return append(b, "null"...)
	}
}

func trimComma(b []byte) []byte {
	if b[len(b)-1] == ',' {
		return b[:len(b)-1]
	}
	return b
}
