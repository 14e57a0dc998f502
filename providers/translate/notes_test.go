package translate

import "testing"

func TestWhatIsDroppedIsNamedAsTheClientNamesIt(t *testing.T) {
	n := notes{called: map[string]string{"messages": "input", "messages.content.file": "input.content"}}
	for name, want := range map[string]string{
		"messages":                       "input",
		"messages.content.cache_control": "input.content.cache_control",
		"messages.content.file.filename": "input.content.filename",
		"messages_of_another_kind":       "messages_of_another_kind",
		"seed":                           "seed",
		"":                               "",
	} {
		if got := n.own(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
	n.drop("messages.content.file.filename")
	n.drop("messages.content.file.filename")
	if n.count != 2 || len(n.dropped) != 1 || n.dropped[0] != "input.content.filename" {
		t.Errorf("got %+v", n)
	}
}
