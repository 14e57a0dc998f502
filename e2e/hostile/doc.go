// Package hostile tests the whole gateway against bytes that somebody means ill with: raw sockets, slow and endless
// senders, texts of absurd depth, upstreams that repeat the keys they were sent. THREAT_MODEL.md says which test shows
// what.
package hostile
