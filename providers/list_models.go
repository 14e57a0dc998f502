package providers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// maxModelList bounds the answer to ListModels, in bytes.
const maxModelList = 8 << 20

var errNoModelList = errors.New("the answer is no list of models")

// ListModels asks the upstream which models it serves, in its own order (spec: api.md, check --connect). It is no
// attempt: it has no limits but ctx, and no breaker hears of it. Its error is always a [*Failure].
func (p *Host) ListModels(ctx context.Context, key Key) ([]string, error) {
	where := p.kind.models
	x := &exchange{upstream: &p.upstream, attempt: &Attempt{Request: &Request{}, Key: key}}
	query := ""
	if where.query != nil {
		query = where.query(&p.upstream)
	}
	body, err := x.get(ctx, "/models", query)
	if err != nil {
		return nil, x.failure(Signal{Err: err, Cause: context.Cause(ctx)})
	}
	if f := x.suspected(Signal{Body: body}); f != nil {
		return nil, f
	}
	list := gjson.ParseBytes(body)
	if list.IsObject() {
		list = list.Get(where.list)
	}
	if !list.IsArray() {
		return nil, &Failure{Kind: Malformed, Status: x.resp.StatusCode, Message: errNoModelList.Error(), Err: errNoModelList}
	}
	var names []string
	for _, model := range list.Array() {
		if name := model.Get(where.name).String(); name != "" {
			names = append(names, strings.TrimPrefix(name, where.withoutFront))
		}
	}
	return names, nil
}

// get reads a whole answer that isn't one to an attempt.
func (x *exchange) get(ctx context.Context, path, query string) ([]byte, error) {
	target := *x.base
	target.Path, target.RawPath, target.RawQuery = target.Path+path, "", query
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
