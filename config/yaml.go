package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxNodes bounds the values of a file, each use of an alias counted again.
const maxNodes = 500_000

// parseYAML reads a YAML file into the same tree as JSON, with variables replaced and aliases and merge keys
// resolved. Problems with a path don't end it, so that the members can be checked too.
func parseYAML(body []byte, env func(string) (string, bool)) (root node, problems []Problem) {
	defer func() {
		if r := recover(); r != nil {
			root, problems = node{}, []Problem{{Message: "broken YAML: the parser gave up on it"}}
		}
	}()
	if deep := BracketDepth(body); deep > maxDepth {
		return node{}, []Problem{{Message: errDepth.Error()}}
	}
	file, err := parser.ParseBytes(body, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return node{}, []Problem{{Message: ExplainYAML(err)}}
	}
	y := yamlReader{env: env, anchors: map[string]node{}, left: maxNodes}
	bodies := slices.DeleteFunc(slices.Clone(file.Docs), func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(bodies) {
	case 0:
		return node{form: formObject}, nil
	case 1:
		if root = y.value("", bodies[0].Body, 0); y.left < 0 {
			return node{}, []Problem{{Message: "holds more than " + grouped(maxNodes) + " values"}}
		}
	default:
		y.addf("", "holds %d documents; it must be one", len(bodies))
	}
	return root, y.problems
}

// BracketDepth is the deepest nesting that flow style can have: what stands between quotes may count too much, but
// nobody nests 64 brackets.
func BracketDepth(body []byte) int {
	depth, deepest := 0, 0
	for _, c := range body {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// ExplainYAML takes message and place of a syntax error, but not the excerpt of the file, which may show a secret.
func ExplainYAML(err error) string {
	var syntax interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &syntax) {
		return "broken YAML"
	}
	t := syntax.GetToken()
	if t == nil || t.Position == nil {
		return "broken YAML: " + syntax.GetMessage()
	}
	return fmt.Sprintf("broken YAML at line %d, column %d: %s", t.Position.Line, t.Position.Column, syntax.GetMessage())
}

type yamlReader struct {
	reading
	env     func(string) (string, bool)
	anchors map[string]node
	left    int
}

func (y *yamlReader) value(path string, n ast.Node, depth int) node {
	if y.left--; y.left < 0 {
		return node{}
	}
	if depth > maxDepth {
		y.addf(path, "%s", errDepth)
		return node{}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return y.mapping(path, n.Values, depth)
	case *ast.MappingValueNode:
		return y.mapping(path, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		list := node{form: formList}
		for i, item := range n.Values {
			list.items = append(list.items, y.value(at(path, i), item, depth+1))
		}
		return list
	case *ast.AnchorNode:
		value := y.value(path, n.Value, depth)
		y.anchors[n.Name.GetToken().Value] = value
		return value
	case *ast.AliasNode:
		return y.alias(path, n)
	case *ast.TagNode:
		return y.tagged(path, n, depth)
	default:
		return y.scalar(path, n)
	}
}

func (y *yamlReader) mapping(path string, values []*ast.MappingValueNode, depth int) node {
	n := node{form: formObject}
	var merged []member
	for _, v := range values {
		name := keyName(v.Key)
		value := y.value(within(path, name), v.Value, depth+1)
		if _, merge := v.Key.(*ast.MergeKeyNode); !merge {
			n.members = append(n.members, member{name, value})
			continue
		}
		merged = append(merged, value.members...)
		for i := range value.items {
			merged = append(merged, value.items[i].members...)
		}
	}
	for _, m := range merged { // a member of its own beats a merged one, the first merged one the later ones
		if n.lookup(m.name) == nil {
			n.members = append(n.members, m)
		}
	}
	return n
}

func keyName(key ast.MapKeyNode) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		if s, ok := k.Value.(*ast.StringNode); ok {
			return s.Value
		}
	}
	return key.GetToken().Value
}

func (y *yamlReader) alias(path string, n *ast.AliasNode) node {
	value, known := y.anchors[n.Value.GetToken().Value]
	if !known {
		y.addf(path, "names an anchor that isn't there")
	}
	if y.left >= 0 {
		y.left -= value.size()
	}
	return value
}

func (n *node) size() int {
	size := 1
	for i := range n.items {
		size += n.items[i].size()
	}
	for i := range n.members {
		size += n.members[i].value.size()
	}
	return size
}

func (y *yamlReader) tagged(path string, n *ast.TagNode, depth int) node {
	switch tag := n.Start.Value; tag {
	case "!!str":
		value := y.value(path, n.Value, depth)
		if value.form == formNumber || value.form == formFlag {
			value.form = formText
		}
		return value
	case "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map":
		return y.value(path, n.Value, depth)
	default:
		y.addf(path, "has a tag that isn't known here: %s", clip(tag))
		return node{}
	}
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (y *yamlReader) scalar(path string, n ast.Node) node {
	switch n := n.(type) {
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		if !quoted && jsonNumber.MatchString(n.Value) { // 1e-1, which the parser takes for a string
			return node{form: formNumber, text: n.Value}
		}
		text, expanded := y.expand(path, n.Value)
		return node{form: formText, text: text, expanded: expanded && !quoted}
	case *ast.LiteralNode:
		text, _ := y.expand(path, n.Value.Value)
		return node{form: formText, text: text}
	case *ast.IntegerNode:
		return node{form: formNumber, text: fmt.Sprint(n.Value)}
	case *ast.FloatNode:
		return node{form: formNumber, text: strings.ReplaceAll(n.Token.Value, "_", "")}
	case *ast.BoolNode:
		return node{form: formFlag, text: strconv.FormatBool(n.Value)}
	case *ast.NullNode, nil:
		return node{}
	case *ast.InfinityNode, *ast.NanNode:
		y.addf(path, "must be a finite number")
		return node{}
	default:
		y.addf(path, "is of a kind of YAML that isn't used here")
		return node{}
	}
}

// expand replaces ${NAME} and ${NAME:-default}; $${ stands for a literal ${. A name that isn't set and has no default
// is a problem; one that is set to nothing counts as not set where there is a default, as in a shell.
func (y *yamlReader) expand(path, text string) (string, bool) {
	if !strings.Contains(text, "${") {
		return text, false
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			out.WriteString(text)
			return out.String(), true
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			out.WriteString(literal + "${")
			text = rest
			continue
		}
		out.WriteString(before)
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			y.addf(path, "has a ${ without its }")
			return out.String(), true
		}
		out.WriteString(y.variable(path, inside))
		text = after
	}
}

func (y *yamlReader) variable(path, inside string) string {
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	if strings.Contains(inside, "${") {
		y.addf(path, "has a ${ within a ${NAME:-default}: a default is plain text and names no other variable")
		return ""
	}
	if !envName.MatchString(name) {
		y.addf(path, "has a ${...} that is neither ${NAME} nor ${NAME:-default}")
		return ""
	}
	value, set := y.env(name)
	switch {
	case hasFallback && value == "":
		return fallback
	case !set:
		y.addf(path, "the environment variable %s is not set", clip(name))
	}
	return value
}
