package bucket

import (
	"net/http"
	"net/url"
	"strings"

	"dailies/db/media/bucket/sigv4"
)

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
