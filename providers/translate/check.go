package translate

import "fmt"

// check finds what makes no sense in any dialect, and gives each result the name of the tool that was called.
func (c *conversation) check() error {
	names := map[string]string{}
	for i := range c.turns {
		for j := range c.turns[i].blocks {
			b := &c.turns[i].blocks[j]
			switch b.is {
			case callBlock:
				names[b.id] = b.name
			case resultBlock:
				name, called := names[b.id]
				if !called {
					return &Refused{
						Param: "messages", Broken: true,
						Message: fmt.Sprintf("There is a result for the tool call %q, which no message before it makes.", b.id),
					}
				}
				b.name = name
			}
		}
	}
	return nil
}
