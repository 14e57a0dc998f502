package sse

import (
	"errors"
	"net/http"
	"time"

	gosse "github.com/tmaxmax/go-sse"
)

// watcher is one client of a Broker. Every write gets its own deadline; errors of Flush count, because a deadline
// shows only there.
type watcher struct {
	session *gosse.Session
	control *http.ResponseController
}

// open sends the headers.
func (w *watcher) open() error {
	if err := w.extend(); err != nil {
		return err
	}
	return w.session.Flush()
}

func (w *watcher) send(events []*gosse.Message) error {
	if err := w.extend(); err != nil {
		return err
	}
	for _, ev := range events {
		if err := w.session.Send(ev); err != nil {
			return err
		}
	}
	return w.control.Flush()
}

func (w *watcher) extend() error {
	err := w.control.SetWriteDeadline(time.Now().Add(watcherWrite))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
