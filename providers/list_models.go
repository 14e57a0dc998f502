package providers

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/tidwall/gjson"
)

// maxModelList bounds the answer to ListModels, in bytes.
const maxModelList = 8 << 20

var errNoModelList = errors.New("the answer is no list of models")

// ListModels asks the upstream which models it serves, in its own order (spec: api.md, check --connect). It is no
// attempt: it has no limits but ctx, and no breaker hears of it. Its error is always a [*Failure].
func (p *OpenAI) ListModels(ctx context.Context, key Key) ([]string, error) {
	x := &exchange{upstream: &p.upstream, attempt: &Attempt{Request: &Request{}, Key: key}}
	body, err := x.get(ctx, "/models")
	if err != nil {
		return nil, x.failure(Signal{Err: err, Cause: context.Cause(ctx)})
	}
	if f := x.failure(Signal{Body: body}); f != nil {
		return nil, f
	}
	list := gjson.ParseBytes(body)
	if list.IsObject() {
		list = list.Get("data")
	}
	if !list.IsArray() {
		return nil, &Failure{Kind: Malformed, Status: x.resp.StatusCode, Message: errNoModelList.Error(), Err: errNoModelList}
	}
	var names []string
	for _, model := range list.Array() {
		if id := model.Get("id").String(); id != "" {
			names = append(names, id)
		}
	}
	return names, nil
}

// get reads a whole answer that isn't one to an attempt.
func (x *exchange) get(ctx context.Context, path string) ([]byte, error) {
	target := *x.base
	target.Path, target.RawPath = target.Path+path, ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = x.header(x.attempt)
	req.Header.Del("Content-Type")
	resp, err := x.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	x.resp = resp
	return io.ReadAll(io.LimitReader(resp.Body, maxModelList))
}
