package providers

import (
	"net/http"
	"time"
)

// Endpoint names what a client asked for, apart from the dialect's path.
type Endpoint string

// The endpoints of the client side (spec: api.md).
const (
	Chat           Endpoint = "chat"
	Completions    Endpoint = "completions"
	Embeddings     Endpoint = "embeddings"
	Responses      Endpoint = "responses"
	Messages       Endpoint = "messages"
	CountTokens    Endpoint = "count_tokens"
	Moderations    Endpoint = "moderations"
	Images         Endpoint = "images"
	Speech         Endpoint = "speech"
	Transcriptions Endpoint = "transcriptions"
	Rerank         Endpoint = "rerank"
)

// Request is a client's request, parsed once and then shared read-only by all attempts.
type Request struct {
	Endpoint    Endpoint
	Path        string      // suffix of the upstream's base URL: "/chat/completions"
	Query       string      // raw, without "?"
	ContentType string      // of Body
	Header      http.Header // the client's headers; a provider sends up those of its allow-list only
	Body        []byte      // not changed while any attempt is under way, see BodyInUse
	RequestID   string
	Start       time.Time // when the request came in

	Model         string // as the client named it; empty if the endpoint needs none
	ModelAt       [2]int // span of the model's JSON value in Body; both 0 if there is none
	Stream        bool
	IncludeUsage  bool // stream_options.include_usage
	Tools         bool // tools or functions are offered
	Vision        bool // an image is part of the input
	MaxTokens     int  // 0 if the client set none
	SessionHeader string
}

// BadRequest is a client's fault that no target needs to be asked about (spec: api.md, errors).
type BadRequest struct {
	Status  int    // 400 or 413
	Code    string // error.code, empty for null
	Param   string // error.param, empty for null
	Message string
}

func (e *BadRequest) Error() string { return e.Message }

// ParseRequest checks a JSON body in one pass. Its error is always a [*BadRequest]. The request keeps body.
func ParseRequest(e Endpoint, body []byte) (*Request, error) {
	return &Request{Endpoint: e, Body: body}, nil
}
