// Package server is the HTTP side of the gateway: the OpenAI-compatible client side under /v1, the admin API under
// /api/v1, and what machines watch (/healthz, /readyz, /metrics).
//
// One table (routes.go) says for each method and path who may call it and which handler answers. A request passes,
// in this order: the exchange (request id, access log, panics), the path check, echo's router, the role's guard, the
// handler. Handlers of the client side turn bytes into a [providers.Request], hand it to the router and relay the
// answer; handlers of the admin side are thin over [config.Live] and [circuitbreaker.Registry].
//
// Every error, unknown routes and panics included, has OpenAI's envelope (spec: api.md).
package server
