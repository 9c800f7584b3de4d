// Package sigv4 signs requests to services that speak the S3 protocol, with
// Signature Version 4 of AWS:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html.
package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// NoContent is the hash of a request without content.
	NoContent = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

	algorithm = "AWS4-HMAC-SHA256"
	timestamp = "20060102T150405Z"
)

// A Signer signs with the credentials for a service in a region.
type Signer struct {
	AccessKey, SecretKey string
	Service, Region      string // such as s3 and eu-central-1
}

// Sign signs the request with its headers, except for User-Agent, and with the hash of
// its content, the hexadecimal SHA-256. The path in the request's URL must be escaped as
// EscapePath does it. Sign rewrites the query in the form that it signs.
func (s Signer) Sign(r *http.Request, hash string, at time.Time) {
	r.Header.Set("X-Amz-Date", at.UTC().Format(timestamp))
	r.Header.Set("X-Amz-Content-Sha256", hash)
	r.URL.RawQuery = encode(r.URL.Query())
	headers := map[string]string{"host": r.URL.Host}
	for name, values := range r.Header {
		if name == "User-Agent" || name == "Authorization" {
			continue
		}
		fields := make([]string, len(values))
		for i, value := range values {
			fields[i] = strings.Join(strings.Fields(value), " ")
		}
		headers[strings.ToLower(name)] = strings.Join(fields, ",")
	}
	names := slices.Sorted(maps.Keys(headers))
	r.Header.Set("Authorization", algorithm+" Credential="+s.AccessKey+"/"+s.scope(at)+
		", SignedHeaders="+strings.Join(names, ";")+", Signature="+s.signature(r.Method, r.URL, headers, hash, at))
}

// Presign returns the URL with a signature that lets everybody GET it while it lives.
func (s Signer) Presign(u url.URL, life time.Duration, at time.Time) string {
	q := u.Query()
	q.Set("X-Amz-Algorithm", algorithm)
	q.Set("X-Amz-Credential", s.AccessKey+"/"+s.scope(at))
	q.Set("X-Amz-Date", at.UTC().Format(timestamp))
	q.Set("X-Amz-Expires", strconv.Itoa(int(life/time.Second)))
	q.Set("X-Amz-SignedHeaders", "host")
	u.RawQuery = encode(q)
	u.RawQuery += "&X-Amz-Signature=" + s.signature(http.MethodGet, &u, map[string]string{"host": u.Host}, "UNSIGNED-PAYLOAD", at)
	return u.String()
}

// signature returns the signature of a request with these headers, whose names are in lower case.
func (s Signer) signature(method string, u *url.URL, headers map[string]string, hash string, at time.Time) string {
	names := slices.Sorted(maps.Keys(headers))
	lines := []string{method, u.EscapedPath(), u.RawQuery}
	for _, name := range names {
		lines = append(lines, name+":"+headers[name])
	}
	lines = append(lines, "", strings.Join(names, ";"), hash)
	request := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	text := strings.Join([]string{algorithm, at.UTC().Format(timestamp), s.scope(at), hex.EncodeToString(request[:])}, "\n")
	key := []byte("AWS4" + s.SecretKey)
	for part := range strings.SplitSeq(s.scope(at), "/") {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, text))
}

// scope returns what the signature is valid for.
func (s Signer) scope(at time.Time) string {
	return strings.Join([]string{at.UTC().Format("20060102"), s.Region, s.Service, "aws4_request"}, "/")
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// encode encodes the query sorted by its names, with a space as %20.
func encode(q url.Values) string { return strings.ReplaceAll(q.Encode(), "+", "%20") }

// EscapePath escapes all of a path except letters, digits, -, _, ., ~ and slashes.
func EscapePath(path string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(path))
}
