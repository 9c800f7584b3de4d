package bucket

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
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
	if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Hostname() == "" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.Fragment != "" {
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
