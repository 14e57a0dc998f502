// Package litellm turns the configuration of a LiteLLM proxy into ours, and names what it could not carry over.
package litellm

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/ohmroute/ohmroute/config"
)

// Note is what somebody should know about a place in the configuration that was read.
type Note struct{ Path, Text string }

func (n Note) String() string { return n.Path + ": " + n.Text }

// notes collects what is told; it never holds the value of a key.
type notes struct{ list []Note }

func (n *notes) addf(path, format string, args ...any) {
	n.list = append(n.list, Note{path, fmt.Sprintf(format, args...)})
}

// conversion is a configuration on its way.
type conversion struct {
	notes
	credentials map[string]*object // by credential_name
	providers   []*provider
	groups      []*group
	byName      map[string]*group
	settings    settings
	keys        yaml.MapSlice // the client key, if there is one
}

// ErrNothing is the error of a configuration of which no model can be used.
var ErrNothing = errors.New("no model of it can be carried over")

// Convert makes our configuration file of LiteLLM's. The notes are told with an error too.
func Convert(text []byte) (file []byte, told []Note, err error) {
	var root yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &root, yaml.UseOrderedMap(), yaml.AllowDuplicateMapKey()); err != nil {
		return nil, nil, errors.New("it is no YAML that can be read: " + firstLine(err))
	}
	c := &conversion{byName: map[string]*group{}}
	o := &object{members: root, notes: &c.notes}
	c.readCredentials(o.list("credential_list"))
	c.readSettings(o)
	for i, item := range o.list("model_list") {
		path := fmt.Sprintf("model_list[%d]", i)
		if m := c.asObject(path, item); m != nil {
			c.readModel(m)
		}
	}
	c.readVariables(o)
	o.leftovers(rootReasons)
	if len(c.providers) == 0 {
		return nil, c.list, ErrNothing
	}
	file, err = c.write(c.combos())
	if err != nil {
		return nil, c.list, err
	}
	c.examine(file)
	return append(c.head(), file...), c.list, nil
}

// examine notes what is wrong with the result, whatever the environment holds.
func (c *conversion) examine(file []byte) {
	_, problems := config.ParseFile(file, func(string) (string, bool) { return "https://example.com", true })
	for _, p := range problems {
		c.addf("in the result", "%s", p)
	}
}

var rootReasons = map[string]string{
	"include":               "is not followed: put what it names into this file and import it again",
	"callback_settings":     reasonObservers,
	"guardrails":            "ohmroute has no guardrails",
	"mcp_servers":           "ohmroute is no MCP gateway",
	"mcp_tools":             "ohmroute is no MCP gateway",
	"vector_store_registry": "ohmroute has no vector stores",
	"prompts":               "ohmroute keeps no prompts",
	"files_settings":        "ohmroute has no files API",
	"finetune_settings":     "ohmroute has no fine-tuning API",
	"policies":              "ohmroute has no policies",
}

// readVariables notes the variables that the file itself sets: they are the environment's here.
func (c *conversion) readVariables(o *object) {
	variables := o.object("environment_variables")
	if variables == nil {
		return
	}
	for _, m := range variables.members {
		c.addf(variables.at(m.Key), "is not set by the file: set it in the environment of ohmroute")
	}
}
