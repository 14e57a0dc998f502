// Package clients runs the client libraries that people use, unmodified and pinned, against the real binary, with
// scripted upstreams behind it. What each of them can do through the gateway is the table in docs/clients.md, which the
// tests write and compare.
//
// A [scenario] says what the upstream does, what the client is asked to do, and what has to come of it. It is played by
// every client on every endpoint that the client speaks, against a target of every dialect. The clients of npm run in
// a process of Node each (testdata/npm), those of PyPI in one of Python (testdata/python), driven by lines of JSON; those
// of Go are called.
package clients
