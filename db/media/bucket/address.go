package bucket

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"dailies/db/media/bucket/sigv4"
)

// An Address names a bucket and says how to reach it, like the setting -media:
// s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-central-1&redirect=1.
// The zero Address means that no bucket is configured.
type Address struct {
	Bucket string
	Prefix string // of the names of all objects, without a slash at either end
	Host   string // of the service, with the port if there is one
	Secure bool   // use TLS
	Region string // if empty, the service is asked for it
	// Redirect lets browsers download files directly from the bucket.
	Redirect bool
}

const (
	amazon = "https://s3.amazonaws.com"

	maxAddress = 2000 // bytes of an address
	maxPrefix  = 500  // bytes; S3 allows 1024 for the name of an object
)

// Parse parses an address. Its errors fit on one line and contain nothing that
// may be a secret.
func Parse(text string) (Address, error) {
	a, err := parse(text)
	if err != nil {
		return Address{}, err
	}
	return a, nil
}

func parse(text string) (a Address, err error) {
	if text == "" {
		return a, nil
	}
	u, err := url.Parse(text)
	if len(text) > maxAddress || err != nil || u.Scheme != "s3" || u.Host == "" || u.Opaque != "" || u.Fragment != "" {
		return a, errors.New("it is no address such as s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1")
	}
	if u.User != nil {
		return a, errors.New("credentials do not belong in it, but in DAILIES_S3_ACCESS_KEY and DAILIES_S3_SECRET_KEY")
	}
	a.Bucket, a.Prefix = u.Host, strings.Trim(u.Path, "/")
	if !isName(a.Bucket) {
		return a, fmt.Errorf("%.80q cannot be the name of a bucket", a.Bucket)
	}
	if p := a.Prefix; p != "" && (path.Clean("/"+p) != "/"+p || len(p) > maxPrefix || !utf8.ValidString(p) || strings.TrimSpace(p) == "") {
		return a, errors.New("what follows the name of the bucket cannot begin the names of objects")
	}
	return a, a.query(u.RawQuery)
}

func (a *Address) query(raw string) error {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("what follows its question mark cannot be read")
	}
	for name, values := range q {
		if len(values) > 1 {
			return fmt.Errorf("it has %.40q twice", name)
		}
		switch name {
		case "endpoint", "region":
		case "redirect":
			if a.Redirect = values[0] == "1"; !a.Redirect && values[0] != "0" {
				return errors.New("redirect is 0 or 1")
			}
		default:
			return fmt.Errorf("it takes endpoint, region and redirect, not %.40q", name)
		}
	}
	if a.Region = q.Get("region"); strings.Trim(a.Region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return errors.New("its region is none, such as eu-central-1")
	}
	endpoint := q.Get("endpoint")
	if endpoint == "" {
		endpoint = amazon
	}
	e, err := url.Parse(endpoint)
	if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Hostname() == "" || e.User != nil ||
		strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.Fragment != "" {
		return errors.New("its endpoint is no address such as https://s3.example.com")
	}
	a.Host, a.Secure = e.Host, e.Scheme == "https"
	return nil
}

// isName reports whether the text can be the name of a bucket:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html.
func isName(text string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"
	if len(text) < 3 || len(text) > 63 || strings.Trim(text, alphanumeric+".-") != "" ||
		!strings.Contains(alphanumeric, text[:1]) || !strings.Contains(alphanumeric, text[len(text)-1:]) {
		return false
	}
	for _, pair := range []string{"..", ".-", "-."} {
		if strings.Contains(text, pair) {
			return false
		}
	}
	return strings.Count(text, ".") != 3 || strings.Trim(text, "0123456789.") != "" // no IP address
}

// String returns the bucket and the prefix for display.
func (a Address) String() string {
	if a.Bucket == "" {
		return ""
	}
	return "s3://" + path.Join(a.Bucket, a.Prefix)
}

// key returns the name of the object at the path.
func (a Address) key(p string) string { return path.Join(a.Prefix, p) }

// An endpoint is the address of a service, with what differs between services.
type endpoint struct {
	scheme string
	host   string // with the port, unless it is the scheme's own

	// service is the name that signatures contain.
	service string

	// region is the region that the host names; empty if it names none.
	region string

	// regional tells that each region has a host of its own, which replaces this one.
	regional bool

	// virtual tells that the bucket belongs into the host, not into the path.
	virtual bool
}

// newEndpoint returns the endpoint at the address. It returns an *answerError if the
// host belongs to a service, but is not one to which calls can be made.
func newEndpoint(a Address) (endpoint, error) {
	e := endpoint{scheme: "http", host: strings.TrimSuffix(a.Host, ":80"), service: "s3"}
	if a.Secure {
		e.scheme, e.host = "https", strings.TrimSuffix(a.Host, ":443")
	}
	name := (&url.URL{Host: a.Host}).Hostname()
	var amazon bool
	e.region, amazon, e.regional = amazonHost(name)
	google := name == "storage.googleapis.com"
	switch _, outposts, isOutposts := strings.Cut(name, ".s3-outposts."); {
	case isOutposts && !amazon:
		e.service = "s3-outposts"
		e.region = strings.TrimSuffix(outposts, ".amazonaws.com")
	case strings.Contains(name, ".s3.amazonaws.com") && !amazon:
		return e, invalidEndpoint("Amazon S3 endpoint should be 's3.amazonaws.com'.")
	case strings.Contains(name, ".googleapis.com") && !google:
		return e, invalidEndpoint("Google Cloud Storage endpoint should be 'storage.googleapis.com'.")
	}
	// A certificate for *.example.com is not valid for a host with more dots.
	e.virtual = (amazon || google || strings.HasSuffix(name, "aliyuncs.com")) && (!a.Secure || !strings.Contains(a.Bucket, "."))
	return e, nil
}

func invalidEndpoint(message string) error {
	return &answerError{status: http.StatusBadRequest, code: "InvalidArgument", message: message}
}

// amazonHost reports whether the host is one of Amazon S3, and which region it names.
// With regional, the region's own host is to be used instead.
func amazonHost(host string) (region string, amazon, regional bool) {
	name, china := strings.CutSuffix(host, ".amazonaws.com.cn")
	if !china {
		var is bool
		if name, is = strings.CutSuffix(host, ".amazonaws.com"); !is {
			return "", false, false
		}
	}
	if !china && (name == "s3" || name == "s3-external-1") {
		return "", true, true
	}
	// A private link, such as bucket.vpce-1a2b3c4d.s3.eu-central-1.vpce.
	link, private := strings.CutSuffix(name, ".vpce")
	if private && (strings.HasPrefix(name, "bucket.vpce-") || strings.HasPrefix(name, "accesspoint.vpce-")) {
		_, region, _ = strings.Cut(link, ".s3.")
		return region, isRegion(region), false
	}
	for _, prefix := range []string{"s3-fips.dualstack.", "s3-fips.", "s3-fips-", "s3.dualstack.", "s3.", "s3-"} {
		if region, is := strings.CutPrefix(name, prefix); is && isRegion(region) && (!china || strings.HasPrefix(region, "cn-")) {
			return region, true, !strings.HasPrefix(prefix, "s3-fips")
		}
	}
	return "", false, false
}

// isRegion reports whether the text can be a region. It can then be part of a host.
func isRegion(text string) bool {
	return text != "" && len(text) <= 60 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// url returns the address of the object with the key, or of the bucket if that is empty.
// The region is empty as long as it is unknown.
func (e endpoint) url(bucket, key, region string) url.URL {
	u := url.URL{Scheme: e.scheme, Host: e.host, Path: "/" + key}
	if e.regional && region != "" {
		u.Host = "s3.dualstack." + region + ".amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			u.Host += ".cn"
		}
	}
	if e.virtual {
		u.Host = bucket + "." + u.Host
	} else {
		u.Path = "/" + bucket + u.Path
	}
	u.RawPath = sigv4.EscapePath(u.Path)
	return u
}
