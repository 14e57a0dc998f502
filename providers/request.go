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

	// GenerateContent is Gemini's. Only providers have it.
	GenerateContent Endpoint = "generate_content"
)

// modelOptional are the endpoints that can do without a model in the request (spec: routing.md 1).
var modelOptional = map[Endpoint]bool{Moderations: true, Images: true}

// neverStreamed are the endpoints whose answers are whole, whatever the client says.
var neverStreamed = map[Endpoint]bool{Embeddings: true, CountTokens: true, Moderations: true, Rerank: true}

// upstreamPaths are the paths behind a base URL in OpenAI's dialect.
var upstreamPaths = map[Endpoint]string{
	Chat:           "/chat/completions",
	Completions:    "/completions",
	Embeddings:     "/embeddings",
	Responses:      "/responses",
	Messages:       "/messages",
	CountTokens:    "/messages/count_tokens",
	Moderations:    "/moderations",
	Images:         "/images/generations",
	Speech:         "/audio/speech",
	Transcriptions: "/audio/transcriptions",
	Rerank:         "/rerank",
}

// Request is a client's request, parsed once and then shared by all attempts, which only read it.
type Request struct {
	Endpoint    Endpoint
	Query       string      // raw, without "?"
	ContentType string      // of Body
	Header      http.Header // the client's headers; a provider sends up those of its allow-list only
	Body        []byte      // no attempt reads it after its Send failed or its Events were closed
	RequestID   string
	Start       time.Time // when the request came in

	Model         string // as the client named it; empty if it named none and needs none
	ModelAt       [2]int // span of the model's JSON value in Body; empty if it named none
	Stream        bool
	IncludeUsage  bool   // stream_options.include_usage
	Tools         bool   // tools or functions are offered
	Vision        bool   // an image is part of the input
	MaxTokens     int    // 0 if the client set none
	SessionHeader string // x-session-id, if the client sent it

	at places
}

// ParseRequest checks a JSON body whole in one pass, as encoding/json would, and notes what routing asks about. Its
// error is always a [*BadRequest]. The request keeps body. Beyond JSON it refuses strings that are no UTF-8, nesting over
// 128 levels, a member that routing reads and that is there twice (a target may take the other one), model and stream in
// another case, and members and their elements of a type that they have nowhere. Whether all is there,
// [Request.Complete] tells.
func ParseRequest(e Endpoint, body []byte) (*Request, error) {
	r := &Request{Endpoint: e, ContentType: "application/json", Body: body}
	s := requestScan{cursor: cursor{text: body, utf8: true}, request: r, members: membersOf[e]}
	if err := s.object(); err != nil {
		return nil, err
	}
	if r.Model == "" && !modelOptional[e] {
		return nil, missing("model")
	}
	r.Stream = r.Stream && !neverStreamed[e]
	return r, nil
}
