package bucket

import (
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"dailies/db/media/bucket/sigv4"
)

const (
	defaultRegion = "us-east-1"

	// retryDelay is the longest wait before a second attempt.
	retryDelay = 200 * time.Millisecond

	// maxErrorAnswer and maxListAnswer limit the XML that is read of an answer, in bytes.
	// A list has at most 1000 objects, whose names have at most 1024 bytes.
	maxErrorAnswer = 64 << 10
	maxListAnswer  = 16 << 20
)

// A client makes the calls to the service.
type client struct {
	http     http.Client
	endpoint endpoint
	bucket   string
	access   string
	secret   string
	fixed    string // region that the setting or the endpoint names; if empty, the service is asked

	mu     sync.Mutex
	region string // what the service has answered
}

// newClient returns a client for the bucket. It returns an *answerError if the
// endpoint is none.
func newClient(a Address, accessKey, secretKey string) (*client, error) {
	e, err := newEndpoint(a)
	if err != nil {
		return nil, err
	}
	c := &client{endpoint: e, bucket: a.Bucket, access: accessKey, secret: secretKey, fixed: a.Region}
	if c.fixed == "" {
		c.fixed = e.region
	}
	c.http = http.Client{
		// A redirect leads to another host or region, for which the signature is not valid.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: silenceTimeout}).DialContext,
			TLSHandshakeTimeout:   callTimeout,
			ResponseHeaderTimeout: silenceTimeout,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       90 * time.Second,
			DisableCompression:    true, // so that lengths are those of the object
		},
	}
	return c, nil
}

// A request is a call about the object with the key, or about the bucket if that is empty.
type request struct {
	method string
	key    string
	query  url.Values
	header http.Header

	// body returns the content from its beginning, for each attempt anew; it is nil if
	// there is none. hash is its hexadecimal SHA-256, and size its length in bytes.
	body func() io.Reader
	hash string
	size int64
}

// do makes the call, and makes it again if it may succeed then. The caller must close
// the body of the answer, whose status is 2xx. Other answers become an *answerError.
func (c *client) do(ctx context.Context, r request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		answer, err := c.attempt(ctx, r)
		switch {
		case err == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case attempt == maxAttempts || !isTemporary(err):
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rand.N(retryDelay)):
		}
	}
}

// attempt makes the call once, or twice if the service answers that the bucket is in
// another region.
func (c *client) attempt(ctx context.Context, r request) (*http.Response, error) {
	region, err := c.findRegion(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := c.send(ctx, r, c.endpoint.url(c.bucket, r.key, region), region)
	var e *answerError
	if c.fixed != "" || !errors.As(err, &e) || e.region == "" || e.region == region {
		return answer, err
	}
	c.setRegion(e.region)
	return c.send(ctx, r, c.endpoint.url(c.bucket, r.key, e.region), e.region)
}

// send sends the call once to the URL, signed for the region.
func (c *client) send(ctx context.Context, r request, u url.URL, region string) (*http.Response, error) {
	u.RawQuery = r.query.Encode()
	call, err := http.NewRequestWithContext(ctx, r.method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if r.header != nil {
		call.Header = r.header.Clone()
	}
	call.Header.Set("User-Agent", "Dailies")
	hash := sigv4.NoContent
	if r.body != nil {
		hash = r.hash
	}
	if r.body != nil && r.size > 0 {
		call.ContentLength = r.size
		call.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(r.body()), nil }
		call.Body, _ = call.GetBody()
	}
	c.signer(region).Sign(call, hash, time.Now())
	answer, err := c.http.Do(call)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		return nil, readError(answer, r.key)
	}
	return answer, nil
}

func (c *client) signer(region string) sigv4.Signer {
	return sigv4.Signer{AccessKey: c.access, SecretKey: c.secret, Service: c.endpoint.service, Region: region}
}

// findRegion returns the region of the bucket. It asks the service once.
func (c *client) findRegion(ctx context.Context) (string, error) {
	if c.fixed != "" {
		return c.fixed, nil
	}
	c.mu.Lock()
	region := c.region
	c.mu.Unlock()
	if region != "" {
		return region, nil
	}
	location := request{method: http.MethodGet, query: url.Values{"location": {""}}}
	answer, err := c.send(ctx, location, c.endpoint.url(c.bucket, "", ""), defaultRegion)
	var e *answerError
	switch {
	case errors.As(err, &e) && e.region != "":
		region = e.region
	case errors.As(err, &e) && e.code == "NotImplemented" && e.server == "AmazonSnowball":
		region = "snowball"
	case errors.As(err, &e) && slices.Contains(regionlessCodes, e.code):
		region = defaultRegion
	case err != nil:
		return "", err
	default:
		if region, err = readLocation(answer); err != nil {
			return "", err
		}
	}
	c.setRegion(region)
	return region, nil
}

// readLocation reads the answer to the question for the region.
func readLocation(answer *http.Response) (string, error) {
	region, err := readXML[string](answer, maxErrorAnswer)
	if err != nil {
		return "", err
	}
	switch region = strings.TrimSpace(region); {
	case region == "":
		return defaultRegion, nil
	case region == "EU":
		return "eu-west-1", nil // its name in the first years
	case !isRegion(region):
		return "", errors.New("the service names no region")
	}
	return region, nil
}

func (c *client) setRegion(region string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.region = region
}

// link returns a URL with which everybody can GET the object while it lives.
func (c *client) link(ctx context.Context, key string, query url.Values) (string, error) {
	region, err := c.findRegion(ctx)
	if err != nil {
		return "", err
	}
	u := c.endpoint.url(c.bucket, key, region)
	u.RawQuery = query.Encode()
	return c.signer(region).Presign(u, linkLife, time.Now()), nil
}

// isTemporary reports whether the same call may succeed when it is made again.
func isTemporary(err error) bool {
	var e *answerError
	if errors.As(err, &e) {
		return slices.Contains(temporaryCodes, e.code) || slices.Contains(temporaryStatuses, e.status)
	}
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &certificate)
}

var (
	// regionlessCodes are answers to the question for the region after which other calls
	// may succeed.
	regionlessCodes = []string{"NotImplemented", "AccessDenied", "AuthorizationHeaderMalformed", "InvalidRegion"}

	temporaryCodes = []string{
		"RequestError", "RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled",
		"InternalError", "SlowDown", "SlowDownWrite", "SlowDownRead",
	}
	temporaryStatuses = []int{
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		499, // of nginx: the client has closed the connection
		520, // of Cloudflare: an answer that it does not understand
	}
)

// maxMessage limits what is kept of a service's message, in bytes.
const maxMessage = 1024

// An answerError is an answer of the service that says why it refuses a call.
type answerError struct {
	status  int
	code    string // such as NoSuchKey
	message string // one line
	key     string // of the object of the call; empty for a call about the bucket
	region  string // of the bucket, if the service names it
	server  string // what the service says it is
}

// A refusal is the XML of an answer that refuses a call.
type refusal struct {
	XMLName               xml.Name `xml:"Error"`
	Code, Message, Region string
}

// Error implements error.
func (e *answerError) Error() string { return e.message }

// statusCodes have the codes of answers without XML, such as every answer to a HEAD.
var statusCodes = map[int]struct{ code, message string }{
	http.StatusForbidden:          {"AccessDenied", "Access Denied."},
	http.StatusNotFound:           {"NoSuchKey", "The specified key does not exist."},
	http.StatusConflict:           {"Conflict", "Bucket not empty."},
	http.StatusPreconditionFailed: {"PreconditionFailed", "At least one of the pre-conditions you specified did not hold."},
}

// readError reads an answer whose status is not 2xx to a call about the object. It keeps
// nothing of an answer that is not the service's XML, which may come from a proxy
// and repeat the headers of the call.
func readError(answer *http.Response, key string) error {
	e := &answerError{status: answer.StatusCode, key: key, server: answer.Header.Get("Server")}
	// If it cannot be read, the status says what is the matter.
	if text, err := readXML[refusal](answer, maxErrorAnswer); err == nil && text.Code != "" {
		e.code, e.message, e.region = text.Code, text.Message, strings.TrimSpace(text.Region)
	} else if is, known := statusCodes[e.status]; known {
		e.code, e.message = is.code, is.message
		if e.status == http.StatusNotFound && key == "" {
			e.code, e.message = "NoSuchBucket", "The specified bucket does not exist."
		}
	} else {
		e.code, e.message = answer.Status, "No reason is given."
	}
	// MinIO sends these with every answer, so with that to a HEAD too.
	if code := answer.Header.Get("X-Minio-Error-Code"); code != "" {
		e.code = code
	}
	if message := strings.Trim(answer.Header.Get("X-Minio-Error-Desc"), `"`); message != "" {
		e.message = message
	}
	if e.region == "" {
		e.region = answer.Header.Get("X-Amz-Bucket-Region")
	}
	if !isRegion(e.region) {
		e.region = ""
	}
	if e.code == "InvalidRegion" && e.region != "" {
		e.message = fmt.Sprintf("Region does not match, expecting region ‘%s’.", e.region)
	}
	e.code, e.message = oneLine(e.code), oneLine(e.message)
	if e.message == "" {
		e.message = fmt.Sprintf("Error response code %s.", e.code)
	}
	return e
}

// readXML reads the answer, and closes its body. The error contains nothing of the
// answer, in which only the first limit bytes count.
func readXML[T any](answer *http.Response, limit int64) (content T, err error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return content, err
	}
	if xml.Unmarshal(text, &content) != nil {
		return content, errors.New("the answer cannot be read")
	}
	return content, nil
}

// finish reads what is left of an answer without content, so that its connection can be
// used again, and closes its body.
func finish(answer *http.Response) error {
	_, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxErrorAnswer))
	return errors.Join(err, answer.Body.Close())
}

// oneLine returns the beginning of the text on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

// codeOf returns the service's code for the error; empty if it comes from elsewhere.
func codeOf(err error) string {
	var e *answerError
	if errors.As(err, &e) {
		return e.code
	}
	return ""
}
