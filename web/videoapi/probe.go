package videoapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// A Finding is what the test of a service has shown. Its text is for the log.
type Finding string

// What a test can show. The service can be used after the first two.
const (
	FoundAccepted  Finding = "the key is accepted"
	FoundUnsaid    Finding = "the service does not say whether the key is good"
	FoundRefused   Finding = "the key is refused"
	FoundBusy      Finding = "the service has too much to do, or a fault"
	FoundForeign   Finding = "not a service of this kind"
	FoundNothing   Finding = "no service at this path"
	FoundRedirect  Finding = "the service redirects"
	FoundNoHost    Finding = "no host of this name"
	FoundClosed    Finding = "the connection is refused"
	FoundSilent    Finding = "no answer in time"
	FoundBroken    Finding = "the connection broke off"
	FoundUntrusted Finding = "its certificate is not trusted"
	FoundPlain     Finding = "it does not speak TLS"
	FoundPrivate   Finding = "a private address"
)

// Usable reports whether the team can use a service of which this was found.
func (f Finding) Usable() bool { return f == FoundAccepted || f == FoundUnsaid }

// Limits of a test.
const (
	probeTimeout = 10 * time.Second
	maxProbe     = 64 << 10 // bytes of the answer
)

// Probe tests the service at the base address with one query for a task that cannot exist,
// which costs nothing. It takes at most 10 seconds, reads at most 64 kB and follows no
// redirect. The client has to guard against private addresses, and guarded tells its errors
// about these from others. Nothing of the answer is returned.
func Probe(ctx context.Context, base, key string, h *http.Client, guarded func(error) bool) Finding {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	payload, err := json.Marshal(struct {
		TaskID string `json:"taskId"`
	}{noTask})
	if err != nil {
		return FoundBroken
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+queryPath, bytes.NewReader(payload))
	if err != nil {
		return FoundNoHost
	}
	setHeaders(req, key)
	stays := *h
	stays.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := stays.Do(req)
	if err != nil {
		return unreached(err, guarded)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return FoundRedirect
	}
	if resp.ContentLength > maxProbe {
		return FoundForeign
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxProbe+1))
	switch {
	case len(raw) > maxProbe:
		return FoundForeign
	case err != nil:
		return unreached(err, guarded)
	}
	return judge(resp.StatusCode, raw)
}

// unreached says why no answer has arrived.
func unreached(err error, guarded func(error) bool) Finding {
	var (
		name   *net.DNSError
		cert   *tls.CertificateVerificationError
		alert  tls.AlertError
		record tls.RecordHeaderError
		slow   net.Error
	)
	switch {
	case guarded(err):
		return FoundPrivate
	case errors.Is(err, context.DeadlineExceeded):
		return FoundSilent
	case errors.As(err, &name):
		return FoundNoHost
	case errors.As(err, &cert):
		return FoundUntrusted
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return FoundPlain
	case errors.As(err, &alert):
		return FoundUntrusted
	case errors.Is(err, syscall.ECONNREFUSED):
		return FoundClosed
	case errors.As(err, &slow) && slow.Timeout():
		return FoundSilent
	}
	return FoundBroken
}

// judge says what an answer to a query for a task that cannot exist tells about the
// service.
//
// API.md: code is "0 on success, -1 on failure", message "a short error text on failure".
// Other services have envelopes too, most of them with codes like those of HTTP.
func judge(status int, body []byte) Finding {
	if status == http.StatusTooManyRequests {
		return FoundBusy
	}
	env, err := decodeEnvelope(body)
	if err == nil && env.Code != 0 && missesTask(env.Message) && status < http.StatusInternalServerError {
		return FoundAccepted
	}
	switch {
	case status >= http.StatusInternalServerError && (err != nil || kindOf(status, env.Message) == Refused):
		return FoundBusy
	case status == http.StatusNotFound:
		return FoundNothing
	case err != nil, env.Code > 0, env.Code < 0 && strings.TrimSpace(env.Message) == "":
		return FoundForeign
	case env.Code == 0 && !strings.EqualFold(strings.TrimSpace(env.Message), "ok"):
		return FoundForeign
	case env.Code == 0:
		return FoundUnsaid
	}
	switch kindOf(status, env.Message) {
	case KeyRefused:
		return FoundRefused
	case UnknownTask, NoPermission:
		return FoundAccepted
	case Busy:
		return FoundBusy
	}
	return FoundUnsaid
}
