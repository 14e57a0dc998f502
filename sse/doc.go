// Package sse frames server-sent event streams on their way through, and serves our own.
//
// [Reader] cuts a byte stream into blocks of whole events without changing a byte; [Events] walks the events of
// a block without allocating; [Broker] serves typed events to watchers with replay after Last-Event-ID.
package sse
