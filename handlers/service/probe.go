package service

import (
	"context"
	"net/http"

	"dailies/web/fetch"
	"dailies/web/videoapi"
)

// Probe tests the service at an address that somebody has typed, and the key for it. It
// costs nothing. Unless private addresses are allowed, it connects to public ones alone.
func (r *Registry) Probe(ctx context.Context, address, key string) videoapi.Finding {
	transport := r.ProbeTransport()
	defer transport.CloseIdleConnections()
	return videoapi.Probe(ctx, address, key, &http.Client{Transport: transport}, fetch.Refused)
}
