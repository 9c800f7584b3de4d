package sigv4_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db/media/bucket/sigv4"
)

// The credentials and the time of the examples in AWS's documentation.
var (
	example = sigv4.Signer{
		AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		Service: "s3", Region: "us-east-1",
	}
	exampleTime = time.Date(2013, time.May, 24, 0, 0, 0, 0, time.UTC)
)

// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func TestSignaturesAreThoseOfTheDocumentation(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, query string
		header              map[string]string
		hash                string
		signed, want        string
	}{
		"GET of a part": {
			http.MethodGet, "/test.txt", "", map[string]string{"Range": "bytes=0-9"}, sigv4.NoContent,
			"host;range;x-amz-content-sha256;x-amz-date", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		},
		"PUT": {
			http.MethodPut, "/test$file.text", "",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY", "User-Agent": "x"},
			"44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
			"date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
		},
		"GET of a setting": {
			http.MethodGet, "/", "lifecycle", nil, sigv4.NoContent,
			"host;x-amz-content-sha256;x-amz-date", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		},
		"list": {
			http.MethodGet, "/", "prefix=J&max-keys=2", nil, sigv4.NoContent,
			"host;x-amz-content-sha256;x-amz-date", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		},
	} {
		u := url.URL{Scheme: "https", Host: "examplebucket.s3.amazonaws.com", Path: c.path, RawQuery: c.query}
		u.RawPath = sigv4.EscapePath(c.path)
		r := &http.Request{Method: c.method, URL: &u, Header: http.Header{}}
		for name, value := range c.header {
			r.Header.Set(name, value)
		}
		example.Sign(r, c.hash, exampleTime)
		want := "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=" + c.signed +
			", Signature=" + c.want
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		first := r.Header.Get("Authorization")
		if example.Sign(r, c.hash, exampleTime); r.Header.Get("Authorization") != first {
			t.Errorf("%s: a second signature differs", name)
		}
	}
}

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func TestPresignedLinkIsThatOfTheDocumentation(t *testing.T) {
	link := example.Presign(url.URL{Scheme: "https", Host: "examplebucket.s3.amazonaws.com", Path: "/test.txt"}, 24*time.Hour, exampleTime)
	if link != "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"+
		"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400"+
		"&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404" {
		t.Error(link)
	}
}

func TestPathsAreEscapedAsTheServiceExpects(t *testing.T) {
	for path, want := range map[string]string{
		"/ab/cd-_.~":   "/ab/cd-_.~",
		"/a b+c%2F":    "/a%20b%2Bc%252F",
		"/Küste/文/😀":   "/K%C3%BCste/%E6%96%87/%F0%9F%98%80",
		"/!$&'()*,;=@": "/%21%24%26%27%28%29%2A%2C%3B%3D%40",
	} {
		if got := sigv4.EscapePath(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

func FuzzEscapePath(f *testing.F) {
	f.Add("/a b+c%2F/Küste")
	f.Fuzz(func(t *testing.T, path string) {
		escaped := sigv4.EscapePath(path)
		u := url.URL{Path: path, RawPath: escaped}
		back, err := url.PathUnescape(escaped)
		if err != nil || back != path || u.EscapedPath() != escaped || strings.ContainsAny(escaped, " +?#") {
			t.Errorf("%q: %q, %q, %v", path, escaped, u.EscapedPath(), err)
		}
	})
}
