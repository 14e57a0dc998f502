package clients

import (
	"context"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/e2e/process"
)

// request is one operation that a client is asked for; this is also the line that testdata/npm/worker.mjs reads.
type request struct {
	ID       int    `json:"id"`
	Endpoint string `json:"endpoint"`
	Op       string `json:"op"`
	Model    string `json:"model"`
	Key      string `json:"key"`
}

// result is what the client's user sees of an operation.
type result struct {
	Text    string       `json:"text"`
	Finish  string       `json:"finish"`
	Input   int          `json:"input"` // tokens, 0 if the client doesn't tell
	Output  int          `json:"output"`
	Tools   []call       `json:"tools"` // what was called, in order
	Object  *city        `json:"object"`
	Vectors [][]float64  `json:"vectors"`
	IDs     []string     `json:"ids"`
	Aborted bool         `json:"aborted"` // it ended in order because its user asked it to stop
	Error   *clientError `json:"error"`
}

type call struct {
	Name      string `json:"name"`
	Arguments struct {
		City string `json:"city"`
	} `json:"arguments"`
}

type city struct {
	City       string  `json:"city"`
	Population float64 `json:"population"`
}

// clientError is what a client's error shows to a program.
type clientError struct {
	Class   string `json:"class"`
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// client does what its user asks it to. Each piece of a streamed text is told to progress. When ctx ends, the operation
// is aborted as the client's user would abort it. The error says that the client could not be asked.
type client interface {
	do(ctx context.Context, r request, progress func(string)) (result, error)
}

// ask lets a client do what it is asked to. One that takes too long is aborted, and fails the test.
func ask(ctx context.Context, t *testing.T, c client, r request, progress func(string)) result {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(process.Patience, cancel)
	done, err := c.do(ctx, r, progress)
	if err != nil {
		t.Fatal(err)
	}
	if !late.Stop() {
		t.Errorf("the client gave neither an answer nor an error within %s", process.Patience)
	}
	return done
}

// operation is one thing that a client of Go can do.
type operation func(ctx context.Context, r request, progress func(string)) (result, error)

// goClient is a client called in this process.
type goClient struct {
	operations map[string]map[string]operation // by endpoint and name
	describe   func(error) clientError
}

func (c goClient) do(ctx context.Context, r request, progress func(string)) (result, error) {
	done, err := c.operations[r.Endpoint][r.Op](ctx, r, progress)
	if err != nil {
		told := c.describe(err)
		done.Error = &told
	}
	return done, nil
}
