package bucket_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db/media"
	"dailies/db/media/bucket"
)

// hash is that of "a film".
const hash = "e5d4d9db4c1e2a4d4d9d2a3fa9b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819"

const emptyList = `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated></ListBucketResult>`

// refusal returns the XML with which services refuse a call.
func refusal(code, more string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>` + code + `</Code><Message>The reason.</Message>` + more + `</Error>`
}

// A service is a fake of one that speaks the S3 protocol.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string // method, path and query of each call, and the region of its signature
}

// serve starts a service that answers a call with do.
func serve(t testing.TB, do func(w http.ResponseWriter, r *http.Request, call int)) *service {
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.RequestURI()+" "+region(r))
		call := len(s.calls)
		s.mu.Unlock()
		do(w, r, call)
	}))
	t.Cleanup(s.Close)
	return s
}

// region returns the region for which the call is signed.
func region(r *http.Request) string {
	if scope := strings.Split(r.Header.Get("Authorization"), "/"); len(scope) == 5 {
		return scope[2]
	}
	return "unsigned"
}

func (s *service) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// connect opens the bucket of the service, with these further settings.
func connect(t testing.TB, at, query string) (*bucket.Bucket, error) {
	t.Helper()
	a, err := bucket.Parse("s3://videos/team?endpoint=" + url.QueryEscape(at) + query)
	if err != nil {
		t.Fatal(err)
	}
	return bucket.Open(t.Context(), a, "access", "hunter22222", slog.New(slog.DiscardHandler))
}

// afterwards returns a handler that lets the bucket be opened, and answers later calls with do.
func afterwards(do func(w http.ResponseWriter, r *http.Request, call int)) func(w http.ResponseWriter, r *http.Request, call int) {
	return func(w http.ResponseWriter, r *http.Request, call int) {
		if call == 1 {
			_, _ = io.WriteString(w, emptyList)
			return
		}
		do(w, r, call-1)
	}
}

func TestRefusalsAreToldByTheirCodes(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		status  int
		body    string
		header  string // X-Minio-Error-Code
		setting bool
		want    string // after the name of the bucket
	}{
		"no bucket":        {404, refusal("NoSuchBucket", ""), "", true, "NoSuchBucket: The reason."},
		"no access":        {403, refusal("AccessDenied", ""), "", true, "AccessDenied: The reason."},
		"wrong secret":     {403, refusal("SignatureDoesNotMatch", "<StringToSign>AWS4</StringToSign>"), "", true, "Match: The reason."},
		"wrong clock":      {403, refusal("RequestTimeTooSkewed", ""), "", true, "RequestTimeTooSkewed: The reason."},
		"wrong region":     {400, refusal("InvalidRegion", "<Region>eu-west-3</Region>"), "", true, "expecting region ‘eu-west-3’."},
		"elsewhere":        {301, refusal("PermanentRedirect", "<Endpoint>x</Endpoint>"), "", true, "PermanentRedirect: The reason."},
		"several lines":    {400, strings.Replace(refusal("A\nB", ""), "The reason.", "One\r\n two", 1), "", true, "A B: One two"},
		"invalid XML":      {400, strings.Replace(refusal("AB", ""), "The reason.", "\x01", 1), "", true, "400 Bad Request"},
		"no message":       {400, "<Error><Code>Odd</Code></Error>", "", true, "Odd: Error response code Odd."},
		"no XML, 404":      {404, "not here", "", true, "NoSuchBucket: The specified bucket does not exist."},
		"no XML, 403":      {403, "", "", true, "AccessDenied: Access Denied."},
		"no XML, 409":      {409, "", "", true, "Conflict"},
		"no XML, 412":      {412, "", "", true, "PreconditionFailed"},
		"no XML, 418":      {418, "<html>unspoken", "", true, "418 I'm a teapot: No reason is given."},
		"of MinIO":         {400, "", "XMinioServerNotInitialized", true, "XMinioServerNotInitialized"},
		"other XML":        {403, "<html><body>unspoken</body></html>", "", true, "AccessDenied: Access Denied."},
		"endless":          {403, "<Error><Code>" + long, "", true, "AccessDenied: Access Denied."},
		"a long message":   {403, strings.Replace(refusal("Long", ""), "The reason.", long[:60<<10], 1), "", true, "Long: " + long[:1024]},
		"a proxy":          {502, "<html>unspoken", "", false, "502 Bad Gateway: No reason is given."},
		"too many calls":   {503, refusal("SlowDown", ""), "", false, "SlowDown: The reason."},
		"not a list":       {200, "<html>unspoken</html>", "", false, "the answer cannot be read"},
		"an error as list": {200, refusal("InternalError", "unspoken"), "", false, "the answer cannot be read"},
		"half a list":      {200, emptyList[:100], "", false, "the answer cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				if c.header != "" {
					w.Header().Set("X-Minio-Error-Code", c.header)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body+r.Header.Get("Authorization"))
			})
			_, err := connect(t, s.URL, "&region=us-east-1")
			if err == nil || bucket.IsSetting(err) != c.setting || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1200 {
				t.Fatalf("%v", err)
			}
			for _, secret := range []string{"\n", "\r", "hunter22222", "unspoken", "AWS4", "Signature="} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q in %v", secret, err)
				}
			}
		})
	}
}

func TestMissingObjectIsDistinguishedFromAMissingBucket(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		code    string // X-Minio-Error-Code; an answer to a HEAD has no body
		missing bool
	}{
		"404": {404, "", true}, "no key": {404, "NoSuchKey", true}, "no bucket": {404, "NoSuchBucket", false}, "403": {403, "", false}, "400": {400, "", false},
	} {
		s := serve(t, afterwards(func(w http.ResponseWriter, _ *http.Request, _ int) {
			if c.code != "" {
				w.Header().Set("X-Minio-Error-Code", c.code)
			}
			w.WriteHeader(c.status)
		}))
		b, err := connect(t, s.URL, "&region=us-east-1")
		must(t, err)
		if _, err := b.Stat(t.Context(), hash); err == nil || errors.Is(err, fs.ErrNotExist) != c.missing {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyWhatMaySucceedLaterIsSentTwice(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		calls  int
	}{
		"500":       {func(w http.ResponseWriter) { w.WriteHeader(500) }, 2},
		"502":       {func(w http.ResponseWriter) { w.WriteHeader(502) }, 2},
		"503":       {func(w http.ResponseWriter) { w.WriteHeader(503) }, 2},
		"504":       {func(w http.ResponseWriter) { w.WriteHeader(504) }, 2},
		"429":       {func(w http.ResponseWriter) { w.WriteHeader(429) }, 2},
		"408":       {func(w http.ResponseWriter) { w.WriteHeader(408) }, 2},
		"slow down": {func(w http.ResponseWriter) { http.Error(w, refusal("SlowDown", ""), 400) }, 2},
		"cut off":   {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 2},
		"400":       {func(w http.ResponseWriter) { w.WriteHeader(400) }, 1},
		"403":       {func(w http.ResponseWriter) { w.WriteHeader(403) }, 1},
		"404":       {func(w http.ResponseWriter) { w.WriteHeader(404) }, 1},
		"501":       {func(w http.ResponseWriter) { w.WriteHeader(501) }, 1},
		"307":       {func(w http.ResponseWriter) { w.Header().Set("Location", "/other"); w.WriteHeader(307) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { c.answer(w) })
			if _, err := connect(t, s.URL, "&region=us-east-1"); err == nil || len(s.taken()) != c.calls {
				t.Errorf("%v after %q", err, s.taken())
			}
			s = serve(t, func(w http.ResponseWriter, _ *http.Request, call int) {
				if call == 1 {
					c.answer(w)
				}
				_, _ = io.WriteString(w, emptyList)
			})
			if _, err := connect(t, s.URL, "&region=us-east-1"); (err == nil) != (c.calls == 2) {
				t.Errorf("then an answer: %v", err)
			}
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, emptyList) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := connect(t, s.URL, "&region=us-east-1"); err == nil || !bucket.IsSetting(err) || len(other.taken()) > 0 {
		t.Errorf("%v, %q", err, other.taken())
	}
}

// place writes a file of so many bytes into a bucket that this service keeps, and returns
// the contents that arrived whole.
func place(t *testing.T, size int, put func(w http.ResponseWriter, r *http.Request, call int) bool) ([][]byte, error) {
	t.Helper()
	content := noise(size)
	var mu sync.Mutex
	var kept [][]byte
	puts := 0
	s := serve(t, afterwards(func(w http.ResponseWriter, r *http.Request, _ int) {
		mu.Lock()
		defer mu.Unlock()
		switch r.Method {
		case http.MethodPut:
			puts++
			if r.Header.Get("If-None-Match") != "*" || r.Header.Get("X-Amz-Content-Sha256") != hash ||
				r.ContentLength != int64(size) || len(r.TransferEncoding) > 0 {
				t.Errorf("%v, %d bytes, %q", r.Header, r.ContentLength, r.TransferEncoding)
			}
			if !put(w, r, puts) {
				return
			}
			got, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			kept = append(kept, got)
		case http.MethodHead:
			if len(kept) == 0 {
				w.WriteHeader(404)
				return
			}
			w.Header().Set("Content-Length", fmt.Sprint(size))
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		}
	}))
	b, err := connect(t, s.URL, "&region=us-east-1")
	must(t, err)
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, content, 0o600))
	err = b.Place(t.Context(), path, hash, int64(size))
	for _, got := range kept {
		if !bytes.Equal(got, content) {
			t.Errorf("%d other bytes arrive", len(got))
		}
	}
	return kept, err
}

func TestAnUploadThatBreaksOffIsSentWholeAgain(t *testing.T) {
	kept, err := place(t, 4<<20, func(w http.ResponseWriter, r *http.Request, call int) bool {
		if call == 1 {
			_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
			panic(http.ErrAbortHandler)
		}
		return true
	})
	if err != nil || len(kept) != 1 {
		t.Errorf("%d, %v", len(kept), err)
	}
}

func TestAnEmptyFileIsSentWithALength(t *testing.T) {
	if kept, err := place(t, 0, func(http.ResponseWriter, *http.Request, int) bool { return true }); err != nil || len(kept) != 1 {
		t.Errorf("%d, %v", len(kept), err)
	}
}

// Of two processes that write the same object, one is told that it is there.
func TestAnObjectThatIsThereAlreadyIsNoFailure(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{412, refusal("PreconditionFailed", "")}, {412, ""}, {409, refusal("ConditionalRequestConflict", "")}} {
		if _, err := place(t, 1000, func(w http.ResponseWriter, r *http.Request, call int) bool {
			if call == 1 { // the other process's object is there after the next call
				w.WriteHeader(answer.status)
				_, _ = io.WriteString(w, answer.body)
				return false
			}
			return true
		}); err != nil {
			t.Errorf("%+v: %v", answer, err)
		}
	}
}

func TestTheRegionIsAskedForOnce(t *testing.T) {
	const list = "GET /videos/?encoding-type=url&list-type=2&max-keys=1&prefix=team%2F00 "
	const asked = "GET /videos/?location= us-east-1"
	for name, c := range map[string]struct {
		status int
		header string // X-Amz-Bucket-Region
		body   string
		want   string
	}{
		"named":         {200, "", `<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">eu-central-1</LocationConstraint>`, "eu-central-1"},
		"not named":     {200, "", `<LocationConstraint/>`, "us-east-1"},
		"an old name":   {200, "", `<LocationConstraint>EU</LocationConstraint>`, "eu-west-1"},
		"elsewhere":     {400, "", refusal("AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>"), "eu-west-3"},
		"moved":         {301, "ap-south-1", refusal("PermanentRedirect", ""), "ap-south-1"},
		"no region":     {400, "a/b.example.com", refusal("AuthorizationHeaderMalformed", ""), "us-east-1"},
		"not permitted": {403, "", refusal("AccessDenied", ""), "us-east-1"},
		"not known":     {501, "", refusal("NotImplemented", ""), "us-east-1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, call int) {
				if call > 1 {
					_, _ = io.WriteString(w, emptyList)
					return
				}
				if c.header != "" {
					w.Header().Set("X-Amz-Bucket-Region", c.header)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			b, err := connect(t, s.URL, "")
			must(t, err)
			must(t, b.Ready(t.Context()))
			if want := []string{asked, list + c.want, list + c.want}; !slices.Equal(s.taken(), want) {
				t.Errorf("%q", s.taken())
			}
		})
	}
	for name, body := range map[string]string{
		"no XML": "x", "a host": "<LocationConstraint>x.example.com/</LocationConstraint>",
		"endless": "<LocationConstraint>" + strings.Repeat(" ", 1<<20) + "</LocationConstraint>",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, body) })
		if _, err := connect(t, s.URL, ""); err == nil || bucket.IsSetting(err) || strings.Contains(err.Error(), "example.com") {
			t.Errorf("%s: %v", name, err)
		}
		for _, call := range s.taken() {
			if call != asked {
				t.Errorf("%s: %s", name, call)
			}
		}
	}
}

func TestARegionThatTheServiceCorrectsIsUsedFromThenOn(t *testing.T) {
	moved := func(w http.ResponseWriter, r *http.Request, _ int) {
		switch region(r) {
		case "eu-west-3":
			_, _ = io.WriteString(w, emptyList)
		default:
			w.WriteHeader(400)
			_, _ = io.WriteString(w, refusal("AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>"))
		}
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request, call int) {
		if call == 1 {
			_, _ = io.WriteString(w, "<LocationConstraint>eu-west-1</LocationConstraint>")
			return
		}
		moved(w, r, call)
	})
	b, err := connect(t, s.URL, "")
	must(t, err)
	must(t, b.Ready(t.Context()))
	var regions []string
	for _, call := range s.taken() {
		regions = append(regions, call[strings.LastIndex(call, " ")+1:])
	}
	if want := []string{"us-east-1", "eu-west-1", "eu-west-3", "eu-west-3"}; !slices.Equal(regions, want) {
		t.Errorf("%q", regions)
	}
	s = serve(t, moved)
	if _, err := connect(t, s.URL, "&region=eu-west-1"); err == nil || !bucket.IsSetting(err) || len(s.taken()) != 1 {
		t.Errorf("with a setting: %v, %q", err, s.taken())
	}
}

func TestAListHasSeveralPages(t *testing.T) {
	entry := func(key string) string {
		return "<Contents><Key>" + key + "</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents>"
	}
	const (
		start = "<ListBucketResult><EncodingType>url</EncodingType>"
		next  = "<IsTruncated>true</IsTruncated><NextContinuationToken>a/b+c=</NextContinuationToken>"
	)
	for name, c := range map[string]struct {
		second string
		whole  bool
	}{
		"two pages":     {start + entry("team/c%2Bd") + "</ListBucketResult>", true},
		"no next page":  {start + "<IsTruncated>true</IsTruncated></ListBucketResult>", false},
		"the same page": {start + entry("team/c") + next + "</ListBucketResult>", false},
		"a broken name": {start + entry("team/%zz") + "</ListBucketResult>", false},
		"cut off":       {start + entry("team/c"), false},
	} {
		s := serve(t, afterwards(func(w http.ResponseWriter, r *http.Request, call int) {
			if call == 1 {
				_, _ = io.WriteString(w, start+next+entry("team/a+b")+entry("team/folder/")+"</ListBucketResult>")
				return
			}
			if r.URL.Query().Get("continuation-token") != "a/b+c=" || call > 2 {
				t.Errorf("%s: %s", name, r.URL)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			_, _ = io.WriteString(w, c.second)
		}))
		b, err := connect(t, s.URL, "&region=us-east-1")
		must(t, err)
		var seen []media.Blob
		err = b.Walk(t.Context(), func(is media.Blob) error { seen = append(seen, is); return nil })
		want := []media.Blob{{Path: "a b", Size: 7, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
		if c.whole {
			want = append(want, media.Blob{Path: "c+d", Size: 7, At: want[0].At})
		}
		if (err == nil) != c.whole || !slices.Equal(seen, want) {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
	}
}

// proxied is the handler of the proxy that the tests' environment names.
var proxied atomic.Pointer[http.HandlerFunc]

// TestMain names a proxy, which calls to this machine do not use.
func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*proxied.Load())(w, r) }))
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		_ = os.Setenv(name, proxy.URL)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		_ = os.Unsetenv(name)
	}
	code := m.Run()
	proxy.Close()
	os.Exit(code)
}

func TestEachServiceIsCalledAtItsHost(t *testing.T) {
	for _, c := range []struct{ endpoint, region, host, path, signed string }{
		{"http://s3.example.com", "", "s3.example.com", "/videos/", "us-east-1"},
		{"http://s3.example.com:80", "", "s3.example.com", "/videos/", "us-east-1"},
		{"http://s3.example.com:9000", "eu", "s3.example.com:9000", "/videos/", "eu"},
		{"http://[2001:db8::1]:80", "eu", "[2001:db8::1]", "/videos/", "eu"},
		{"http://s3.amazonaws.com", "eu-central-1", "videos.s3.dualstack.eu-central-1.amazonaws.com", "/", "eu-central-1"},
		{"http://s3.eu-west-3.amazonaws.com", "", "videos.s3.dualstack.eu-west-3.amazonaws.com", "/", "eu-west-3"},
		{"http://s3-eu-west-3.amazonaws.com", "", "videos.s3.dualstack.eu-west-3.amazonaws.com", "/", "eu-west-3"},
		{"http://s3.dualstack.eu-west-3.amazonaws.com", "", "videos.s3.dualstack.eu-west-3.amazonaws.com", "/", "eu-west-3"},
		{"http://s3-fips.us-east-2.amazonaws.com", "", "videos.s3-fips.us-east-2.amazonaws.com", "/", "us-east-2"},
		{"http://s3-fips.dualstack.us-east-2.amazonaws.com", "", "videos.s3-fips.dualstack.us-east-2.amazonaws.com", "/", "us-east-2"},
		{"http://s3.cn-north-1.amazonaws.com.cn", "", "videos.s3.dualstack.cn-north-1.amazonaws.com.cn", "/", "cn-north-1"},
		{"http://bucket.vpce-1a.s3.eu-west-1.vpce.amazonaws.com", "", "videos.bucket.vpce-1a.s3.eu-west-1.vpce.amazonaws.com", "/", "eu-west-1"},
		{"http://x.s3-outposts.us-west-2.amazonaws.com", "", "x.s3-outposts.us-west-2.amazonaws.com", "/videos/", "us-west-2"},
		{"http://storage.googleapis.com", "auto", "videos.storage.googleapis.com", "/", "auto"},
		{"http://oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou", "videos.oss-cn-hangzhou.aliyuncs.com", "/", "oss-cn-hangzhou"},
		{"http://account.r2.cloudflarestorage.com", "auto", "account.r2.cloudflarestorage.com", "/videos/", "auto"},
	} {
		var got []string
		do := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("location") {
				_, _ = io.WriteString(w, "<LocationConstraint/>")
				return
			}
			got = append(got, r.Host, r.URL.Path, region(r))
			_, _ = io.WriteString(w, emptyList)
		})
		proxied.Store(&do)
		b, err := connect(t, c.endpoint, "&redirect=1&region="+c.region)
		if want := []string{c.host, c.path, c.signed}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", c.endpoint, got, err)
			continue
		}
		link, err := b.Link(t.Context(), hash, "a.webm", "video/webm")
		if err != nil || !strings.HasPrefix(link, "http://"+c.host+c.path+"team/"+media.Path(hash)+"?X-Amz-Algorithm=") {
			t.Errorf("%s: %s, %v", c.endpoint, link, err)
		}
	}
	for _, endpoint := range []string{"http://videos.s3.amazonaws.com", "http://other.googleapis.com"} {
		if _, err := connect(t, endpoint, ""); err == nil || !bucket.IsSetting(err) {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add(200, "", emptyList)
	f.Add(200, "", "<LocationConstraint>EU</LocationConstraint>")
	f.Add(400, "eu-west-3", refusal("AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>"))
	f.Add(403, "a b", refusal("A\nB", "")+"unspoken")
	var answer atomic.Pointer[func(http.ResponseWriter)]
	s := serve(f, func(w http.ResponseWriter, _ *http.Request, _ int) { (*answer.Load())(w) })
	f.Fuzz(func(t *testing.T, status int, region, body string) {
		do := func(w http.ResponseWriter) {
			w.Header().Set("X-Amz-Bucket-Region", region)
			w.WriteHeader(200 + (status%400+400)%400)
			_, _ = io.WriteString(w, body)
		}
		answer.Store(&do)
		for _, query := range []string{"", "&region=us-east-1"} {
			_, err := connect(t, s.URL, query)
			if err != nil && (strings.ContainsAny(err.Error(), "\n\r\x00") || len(err.Error()) > 2500) {
				t.Errorf("%q", err)
			}
		}
	})
}
