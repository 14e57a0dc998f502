package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// mostParts is how many pieces a request's body is cut into at most: two places are edited.
const mostParts = 5

// errDetached is what the transport gets that still reads the body of an attempt that is over.
var errDetached = errors.New("the attempt is over")

// smallBody is the length up to which a body is copied: the transport then sends it together with the headers, if its
// buffer has room for both.
const smallBody = 3 << 10

// spliced is a request's body with some places replaced, read without a copy of it. The transport reads it in a
// goroutine of its own, also after it has returned: once detached, it touches the shared body no more.
type spliced struct {
	mu       sync.Mutex
	parts    [mostParts][]byte
	count    int
	part, at int // what is read next
	detached bool
}

// splice sets the parts that make up the attempt's own body.
func (s *spliced) splice(a *Attempt, injectUsage bool) error {
	r := a.Request
	var model []byte
	switch {
	case a.Model == "" || a.Model == r.Model:
	case r.at.form:
		model = []byte(a.Model)
	default:
		quoted, err := json.Marshal(a.Model)
		if err != nil {
			return &LocalError{Doing: "writing the model's name", Err: err}
		}
		model = quoted
	}
	from := 0
	for _, e := range r.edits(model, injectUsage && a.wantsUsage()) {
		if e.text == nil {
			continue
		}
		s.add(r.Body[from:e.at[0]])
		s.add(e.text)
		from = e.at[1]
	}
	s.add(r.Body[from:])
	return nil
}

// wantsUsage tells whether a stream's usage has to be asked for: the client did not.
func (r *Request) wantsUsage() bool {
	return r.Stream && !r.IncludeUsage && (r.Endpoint == Chat || r.Endpoint == Completions)
}

func (s *spliced) add(part []byte) {
	if len(part) > 0 {
		s.parts[s.count] = part
		s.count++
	}
}

// size is how many bytes the body has.
func (s *spliced) size() int64 {
	n := int64(0)
	for _, part := range s.parts[:s.count] {
		n += int64(len(part))
	}
	return n
}

// Read implements [io.Reader].
func (s *spliced) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.detached && s.part < s.count {
		return 0, errDetached
	}
	n := 0
	for n < len(p) && s.part < s.count {
		m := copy(p[n:], s.parts[s.part][s.at:])
		n, s.at = n+m, s.at+m
		if s.at == len(s.parts[s.part]) {
			s.part, s.at = s.part+1, 0
		}
	}
	if n == 0 && s.part == s.count {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements [io.Closer].
func (s *spliced) Close() error {
	s.detach()
	return nil
}

// detach returns when nothing reads the shared body any more; later reads fail.
func (s *spliced) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detached = true
}

// forget drops the shared body if it is detached or was read to its end, and tells whether it was.
func (s *spliced) forget() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.detached && s.part < s.count {
		return false
	}
	s.detached = true
	s.parts = [mostParts][]byte{}
	return true
}

// again returns the same body from its start.
func (s *spliced) again() *spliced {
	return &spliced{parts: s.parts, count: s.count}
}

// copied is a small body in memory of its own, nil for a large one.
func (s *spliced) copied() []byte {
	size := s.size()
	if size > smallBody {
		return nil
	}
	b := make([]byte, 0, size)
	for _, part := range s.parts[:s.count] {
		b = append(b, part...)
	}
	return b
}

// edit replaces a span of the body.
type edit struct {
	at   span
	text []byte // nil: nothing to do
}

// edits lists what differs from the client's body, in the order of the places.
func (r *Request) edits(model []byte, usage bool) [2]edit {
	var both [2]edit
	named := span(r.ModelAt)
	if model != nil {
		both[0] = edit{named, model}
		if named.none() {
			both[0] = r.insert("model", model)
		}
	}
	if usage {
		both[1] = r.usageEdit()
	}
	if both[1].text != nil && both[1].at[0] < both[0].at[0] {
		both[0], both[1] = both[1], both[0]
	}
	return both
}

// insert adds a member before the others.
func (r *Request) insert(name string, value []byte) edit {
	member := append([]byte(`"`+name+`":`), value...)
	if !r.at.empty {
		member = append(member, ',')
	}
	return edit{span{r.at.inside, r.at.inside}, member}
}

// usageEdit asks for usage at the end of a stream.
func (r *Request) usageEdit() edit {
	options := r.at.options
	switch {
	case !r.at.includeUsage.none():
		return edit{r.at.includeUsage, []byte("true")}
	case options.none():
		return r.insert("stream_options", []byte(`{"include_usage":true}`))
	case r.Body[options[0]] != '{':
		return edit{options, []byte(`{"include_usage":true}`)}
	}
	member := `"include_usage":true`
	if len(bytes.TrimSpace(r.Body[options[0]+1:options[1]-1])) > 0 {
		member += ","
	}
	return edit{span{options[0] + 1, options[0] + 1}, []byte(member)}
}
