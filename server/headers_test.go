package server

import (
	"net/url"
	"testing"

	"pgregory.net/rapid"
)

func TestHeaderText(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain names stand as they are":       {"openai/gpt-4o mini", "openai/gpt-4o mini"},
		"non-ASCII is percent-encoded":        {"schnell/größer", "schnell/gr%C3%B6%C3%9Fer"},
		"control characters can't split":      {"a\r\nx: y", "a%0D%0Ax: y"},
		"the percent sign is encoded as well": {"50%", "50%25"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := headerText(tt.in); got != tt.want {
				t.Errorf("headerText(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	t.Run("decoding gives the name back", rapid.MakeCheck(func(t *rapid.T) {
		s := rapid.String().Draw(t, "name")
		back, err := url.PathUnescape(headerText(s))
		if err != nil || back != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	}))
}
