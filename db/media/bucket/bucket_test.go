package bucket_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/bucket"
	"dailies/db/media/buckettest"
	"dailies/web"
)

// A logBuffer collects the log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// open returns a store in the server's bucket.
func open(t *testing.T, s *buckettest.Server, query string, log io.Writer) *media.Store {
	t.Helper()
	b := s.Open(t, s.URL("")+query, slog.New(slog.NewTextHandler(log, nil)))
	store, err := media.New(b, t.TempDir())
	must(t, err)
	return store
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noise returns incompressible content.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func TestWrongSettingsAreDistinguishedFromAnUnreachableService(t *testing.T) {
	s := buckettest.New(t)
	for name, c := range map[string]struct {
		url, access, secret string
		setting             bool
		want                string
	}{
		"no bucket":   {strings.Replace(s.URL(""), buckettest.Name, "other-bucket", 1), buckettest.AccessKey, buckettest.SecretKey, true, "NoSuchBucket"},
		"no such key": {s.URL(""), "somebody", buckettest.SecretKey, true, "access key"},
		"no secret":   {s.URL(""), buckettest.AccessKey, "hunter22222", true, "SignatureDoesNotMatch"},
		"no service":  {"s3://videos?region=us-east-1&endpoint=http://127.0.0.1:1", buckettest.AccessKey, buckettest.SecretKey, false, "refused"},
	} {
		a, err := bucket.Parse(c.url)
		must(t, err)
		_, err = bucket.Open(t.Context(), a, c.access, c.secret, slog.New(slog.DiscardHandler))
		if err == nil || bucket.IsSetting(err) != c.setting || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, secret := range []string{"\n", buckettest.SecretKey, "hunter22222"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestStoppedServiceIsNotAMissingFile(t *testing.T) {
	s, log := buckettest.New(t), &logBuffer{}
	store := open(t, s, "", log)
	hash, size, err := store.Put(t.Context(), strings.NewReader("a film"), 100)
	must(t, err)
	_, err = store.Picture(t.Context(), hash, size)
	must(t, err)
	s.Stop()
	for range 4 {
		_, err = store.File(t.Context(), hash)
		for name, err := range map[string]error{
			"File": err, "Ready": store.Ready(t.Context()), "Verify": store.Verify(t.Context(), hash, size),
			"Remove": store.Remove(t.Context(), hash), "Walk": store.Walk(t.Context(), func(media.Blob) error { return nil }),
		} {
			if !errors.Is(err, db.ErrUnavailable) || errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if whole, err := store.HasWhole(t.Context(), hash, size); whole || !errors.Is(err, db.ErrUnavailable) {
			t.Fatalf("%t, %v", whole, err)
		}
		if gone, err := store.RemoveOld(t.Context(), hash, time.Now().Add(time.Hour)); gone || err == nil {
			t.Fatalf("%t, %v", gone, err)
		}
	}
	if _, _, err := store.Put(t.Context(), unread{t}, 100); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("Put: %v", err)
	}
	cached, err := store.Picture(t.Context(), hash, size)
	must(t, err) // from the local cache
	must(t, cached.Close())
	if n := strings.Count(log.String(), "cannot be used"); n != 1 || strings.Contains(log.String(), buckettest.SecretKey) {
		t.Errorf("the log says it %d times: %s", n, log)
	}
	s.Start(t)
	must(t, store.Ready(t.Context()))
	must(t, store.Verify(t.Context(), hash, size))
	if !strings.Contains(log.String(), "answers again") {
		t.Errorf("%s", log)
	}
}

// unread is a reader that fails the test when it is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a file is received that cannot be kept")
	return 0, io.EOF
}

// inFront puts a proxy in front of the server that calls see with every request.
func inFront(t *testing.T, s *buckettest.Server, see func(*http.Request)) {
	t.Helper()
	to, err := url.Parse(s.Address)
	must(t, err)
	front := httptest.NewServer(&httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host // the signature covers it
			see(r.Out)
		},
	})
	t.Cleanup(front.Close)
	s.Address = front.URL
}

func TestOnlyTheBytesThatAreReadAreFetched(t *testing.T) {
	s := buckettest.New(t)
	var mu sync.Mutex
	var asked []string
	inFront(t, s, func(r *http.Request) {
		if part := r.Header.Get("Range"); part != "" {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, part)
		}
	})
	store, content := open(t, s, "", io.Discard), noise(3<<20)
	hash, size, err := store.Put(t.Context(), bytes.NewReader(content), 1<<30)
	must(t, err)
	file, err := store.Whole(t.Context(), hash, size)
	must(t, err)
	defer file.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Range", "bytes=1000-1999")
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "video/webm") // otherwise ServeContent would read the first bytes
	http.ServeContent(web.WithRollingDeadline(w), r, "", time.Time{}, file)
	if !bytes.Equal(w.Body.Bytes(), content[1000:2000]) {
		t.Errorf("%d other bytes", w.Body.Len())
	}
	for _, at := range []int64{1 << 20, 1<<20 + 1000, 1<<20 + 64<<10} { // the first read fetches the second one's bytes as well
		_, err = file.ReadAt(make([]byte, 10), at)
		must(t, err)
	}
	if want := []string{"bytes=1000-1999", "bytes=1048576-1114111", "bytes=1114112-1245183"}; !slices.Equal(asked, want) {
		t.Errorf("%q is fetched", asked)
	}
}

func TestServiceStopsInTheMiddle(t *testing.T) {
	content := noise(64 << 20)
	s := buckettest.New(t)
	store := open(t, s, "", io.Discard)
	hash, size, err := store.Put(t.Context(), bytes.NewReader(content), 1<<30)
	must(t, err)
	for name, from := range map[string]int64{"a whole": 0, "a range": 10 << 20} {
		file, err := store.Whole(t.Context(), hash, size)
		must(t, err)
		_, err = file.Seek(from, io.SeekStart)
		must(t, err)
		_, err = io.CopyN(io.Discard, file, 1<<20)
		must(t, err)
		s.Stop()
		n, err := io.Copy(io.Discard, struct{ io.Reader }{file})
		if err == nil || from+1<<20+n == size {
			t.Errorf("%s: %d more bytes, %v", name, n, err)
		}
		_ = file.Close()
		s.Start(t)
		must(t, store.Ready(t.Context()))
	}
	must(t, store.Verify(t.Context(), hash, size))
}

// dying is a request body that calls die after left bytes have been read.
type dying struct {
	io.ReadCloser
	left int
	die  func()
}

func (d *dying) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if d.left -= n; d.left < 0 {
		d.die()
	}
	return n, err
}

func TestServiceStopsInTheMiddleOfAPut(t *testing.T) {
	s, content := buckettest.New(t), noise(32<<20)
	address, stop := s.Address, sync.OnceFunc(s.Stop)
	inFront(t, s, func(r *http.Request) {
		if r.Method == http.MethodPut {
			r.Body = &dying{r.Body, 8 << 20, stop}
		}
	})
	store := open(t, s, "", io.Discard)
	if _, _, err := store.Put(t.Context(), bytes.NewReader(content), 1<<30); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	s.Address = address
	s.Start(t)
	store = open(t, s, "", io.Discard)
	must(t, store.Walk(t.Context(), func(b media.Blob) error { t.Errorf("%+v is left", b); return nil }))
	hash, size, err := store.Put(t.Context(), bytes.NewReader(content), 1<<30)
	must(t, err)
	must(t, store.Verify(t.Context(), hash, size))
}

func TestObjectOfAnotherSizeIsNotKept(t *testing.T) {
	s := buckettest.New(t)
	inFront(t, s, func(r *http.Request) {
		if r.Method == http.MethodHead { // the store asks for the size after writing
			_ = os.Truncate(filepath.Join(filepath.Dir(s.Dir), filepath.FromSlash(r.URL.Path)), 3)
		}
	})
	hash, _, err := open(t, s, "", io.Discard).Put(t.Context(), strings.NewReader("a film"), 100)
	if err == nil || hash != "" || !strings.Contains(err.Error(), "3 bytes after 6") {
		t.Errorf("%q, %v", hash, err)
	}
}

func TestObjectTruncatedDuringARead(t *testing.T) {
	s := buckettest.New(t)
	store := open(t, s, "", io.Discard)
	hash, size, err := store.Put(t.Context(), bytes.NewReader(noise(8<<20)), 1<<30)
	must(t, err)
	file, err := store.Whole(t.Context(), hash, size)
	must(t, err)
	defer file.Close()
	must(t, os.Truncate(filepath.Join(s.Dir, filepath.FromSlash(media.Path(hash))), 1<<20))
	if n, err := io.Copy(io.Discard, struct{ io.Reader }{file}); err == nil {
		t.Errorf("%d bytes pass for the whole", n)
	}
	if _, err := store.Whole(t.Context(), hash, size); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestCancelledCallIsNotAFailureOfTheService(t *testing.T) {
	s, log := buckettest.New(t), &logBuffer{}
	store := open(t, s, "", log)
	hash, _, err := store.Put(t.Context(), strings.NewReader("a film"), 100)
	must(t, err)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := store.File(gone, hash); !errors.Is(err, context.Canceled) || errors.Is(err, db.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := store.File(t.Context(), hash); err != nil || log.String() != "" {
		t.Errorf("%v, %s", err, log)
	}
}

func TestLinkSavesTheFileForAMinute(t *testing.T) {
	s := buckettest.New(t)
	hash, _, err := open(t, s, "", io.Discard).Put(t.Context(), strings.NewReader("a film"), 100)
	must(t, err)
	if link, err := open(t, s, "&redirect=0", io.Discard).Link(t.Context(), hash, "a.webm", "video/webm"); link != "" || err != nil {
		t.Errorf("without redirect: %q, %v", link, err)
	}
	link, err := open(t, s, "&redirect=1", io.Discard).Link(t.Context(), hash, "Küste.webm", "video/webm")
	must(t, err)
	if strings.Contains(link, buckettest.SecretKey) || !strings.Contains(link, "X-Amz-Expires=60") {
		t.Error(link)
	}
	answer, err := http.Get(link)
	must(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	must(t, err)
	if h := answer.Header; string(content) != "a film" || h.Get("Content-Type") != "video/webm" || h.Get("Content-Disposition") != "attachment; filename*=utf-8''K%C3%BCste.webm" {
		t.Errorf("%s: %q, %q", answer.Status, content, h)
	}
	other, err := http.Get(strings.Replace(link, hash[2:], hash[2:60]+"0000", 1))
	must(t, err)
	defer other.Body.Close()
	if other.StatusCode != http.StatusForbidden {
		t.Errorf("another object: %s", other.Status)
	}
}

// A cache in front of the service may answer a request for a part with the whole object.
func TestAWholeObjectIsNotTakenForAPart(t *testing.T) {
	s, content := buckettest.New(t), noise(1<<20)
	hash, size, err := open(t, s, "", io.Discard).Put(t.Context(), bytes.NewReader(content), 1<<30)
	must(t, err)
	to, err := url.Parse(s.Address)
	must(t, err)
	service := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			service.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = w.Write(content)
	}))
	t.Cleanup(front.Close)
	s.Address = front.URL
	file, err := open(t, s, "", io.Discard).Whole(t.Context(), hash, size)
	must(t, err)
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, content) {
		t.Errorf("from the beginning: %d bytes, %v", len(got), err)
	}
	part := make([]byte, 1000)
	if _, err := file.ReadAt(part, 5000); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("ReadAt: %v, and the bytes that were requested: %t", err, bytes.Equal(part, content[5000:6000]))
	}
	_, err = file.Seek(7000, io.SeekStart)
	must(t, err)
	if _, err := io.ReadFull(file, part); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("Read: %v, and the bytes that were requested: %t", err, bytes.Equal(part, content[7000:8000]))
	}
}
