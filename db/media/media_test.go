package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"dailies/db/media"
	"dailies/db/media/buckettest"
	"dailies/web"
)

// A place holds the folders and the backend of a Store under test.
type place struct {
	blobs    string        // the folder in which blobs are files
	received string        // the folder in which files are received
	backend  media.Backend // nil for a Store in a folder
}

// inEach runs the test with a folder and with a bucket.
func inEach(t *testing.T, try func(t *testing.T, p place)) {
	t.Run("folder", func(t *testing.T) { try(t, inFolder(t)) })
	t.Run("bucket", func(t *testing.T) {
		server := buckettest.New(t)
		b := server.Open(t, server.URL("team/media"), slog.New(slog.DiscardHandler))
		try(t, place{filepath.Join(server.Dir, "team", "media"), filepath.Join(t.TempDir(), "cache"), b})
	})
}

func inFolder(t *testing.T) place {
	dir := filepath.Join(t.TempDir(), "deep", "media")
	return place{blobs: dir, received: dir}
}

func (p place) open(t *testing.T) *media.Store {
	t.Helper()
	s, err := media.Open(p.received)
	if p.backend != nil {
		s, err = media.New(p.backend, p.received)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files returns the paths of all blobs and of files that are being received.
func (p place) files(t *testing.T) (found []string) {
	t.Helper()
	begun, err := filepath.Glob(filepath.Join(p.received, "begun-*"))
	if err != nil {
		t.Fatal(err)
	}
	err = p.open(t).Walk(t.Context(), func(b media.Blob) error { found = append(found, b.Path); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return append(found, begun...)
}

func put(t *testing.T, s *media.Store, content string) string {
	t.Helper()
	hash, size, err := s.Put(t.Context(), strings.NewReader(content), 1000)
	if err != nil || size != int64(len(content)) {
		t.Fatalf("size %d, %v", size, err)
	}
	return hash
}

func read(t *testing.T, s *media.Store, hash string) string {
	t.Helper()
	file, err := s.File(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func has(t *testing.T, s *media.Store, hash string) bool {
	t.Helper()
	here, err := s.Has(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	return here
}

func TestBlobsAreReadBack(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		for _, content := range []string{"a film", "", strings.Repeat("x", 1000)} {
			hash := put(t, s, content)
			if sum := sha256.Sum256([]byte(content)); hash != hex.EncodeToString(sum[:]) {
				t.Errorf("%.10q is named %s", content, hash)
			}
			if !has(t, s, hash) || read(t, s, hash) != content {
				t.Errorf("%.10q is not read back", content)
			}
			if whole, err := s.HasWhole(t.Context(), hash, int64(len(content))+1); whole || err != nil {
				t.Errorf("%.10q has another size: %v", content, err)
			}
			if err := s.Verify(t.Context(), hash, int64(len(content))); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(p.blobs, hash[:2], hash[2:])); err != nil {
				t.Error(err)
			}
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAnyPartIsRead(t *testing.T) {
	content := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash, size, err := s.Put(t.Context(), bytes.NewReader(content), 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		file, err := s.Whole(t.Context(), hash, size)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := iotest.TestReader(io.NewSectionReader(file, 1<<20, 100_000), content[1<<20:1<<20+100_000]); err != nil {
			t.Error(err)
		}
		for _, c := range []struct{ at, length int }{{0, 10}, {100, 1 << 20}, {5, 5}, {2 << 20, 1 << 20}, {3<<20 - 1, 1}, {0, 3 << 20}} {
			got := make([]byte, c.length)
			if n, err := file.ReadAt(got, int64(c.at)); n != c.length || err != nil && err != io.EOF || !bytes.Equal(got, content[c.at:c.at+c.length]) {
				t.Errorf("%d bytes at %d: %d, %v", c.length, c.at, n, err)
			}
			if at, err := file.Seek(int64(c.at), io.SeekStart); at != int64(c.at) || err != nil {
				t.Error(at, err)
			}
			if _, err := io.ReadFull(file, got); err != nil || !bytes.Equal(got, content[c.at:c.at+c.length]) {
				t.Errorf("%d bytes from %d: %v", c.length, c.at, err)
			}
		}
		if n, err := file.ReadAt(make([]byte, 10), 3<<20-5); n != 5 || err != io.EOF {
			t.Errorf("over the end: %d, %v", n, err)
		}
		for _, asked := range []string{"bytes=0-0", "bytes=1000-200000", "bytes=-7", "bytes=2000000-"} {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
			r.Header.Set("Range", asked)
			bare, got := httptest.NewRecorder(), httptest.NewRecorder()
			http.ServeContent(bare, r, "", time.Time{}, bytes.NewReader(content))
			http.ServeContent(web.WithRollingDeadline(got), r, "", time.Time{}, file)
			if got.Code != 206 || got.Header().Get("Content-Range") != bare.Header().Get("Content-Range") || !bytes.Equal(got.Body.Bytes(), bare.Body.Bytes()) {
				t.Errorf("%s: %d, %q, %d bytes", asked, got.Code, got.Header().Get("Content-Range"), got.Body.Len())
			}
		}
	})
}

func TestSameContentIsKeptOnce(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		first, second := put(t, s, "a film"), put(t, s, "a film")
		if first != second || len(p.files(t)) != 1 {
			t.Errorf("%s and %s: %q", first, second, p.files(t))
		}
	})
}

func TestTruncatedBlobIsReplacedByPut(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash := put(t, s, "a film")
		if err := os.Truncate(filepath.Join(p.blobs, hash[:2], hash[2:]), 3); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Whole(t.Context(), hash, 6); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("cut: %v", err)
		}
		if err := s.Verify(t.Context(), hash, 6); !errors.Is(err, media.ErrDamaged) {
			t.Errorf("cut: %v", err)
		}
		put(t, s, "a film")
		if got := read(t, s, hash); got != "a film" {
			t.Errorf("%q", got)
		}
	})
}

func TestNothingIsLeftAfterAnError(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	broken := errors.New("the line broke")
	inEach(t, func(t *testing.T, p place) {
		for name, c := range map[string]struct {
			ctx  context.Context
			from io.Reader
			want error
		}{
			"one byte too large": {t.Context(), strings.NewReader("12345678901"), media.ErrTooLarge},
			"endless":            {t.Context(), zeros{}, media.ErrTooLarge},
			"broken":             {t.Context(), io.MultiReader(strings.NewReader("12345"), iotest.ErrReader(broken)), broken},
			"not wanted":         {ended, strings.NewReader("12345"), context.Canceled},
		} {
			hash, size, err := p.open(t).Put(c.ctx, c.from, 10)
			if !errors.Is(err, c.want) || hash != "" || size != 0 {
				t.Errorf("%s: %q, %d, %v", name, hash, size, err)
			}
			if left := p.files(t); len(left) > 0 {
				t.Errorf("%s: left %q", name, left)
			}
		}
		if _, size, err := p.open(t).Put(t.Context(), strings.NewReader("1234567890"), 10); err != nil || size != 10 {
			t.Errorf("the limit itself: %d, %v", size, err)
		}
	})
}

func TestOpenRemovesInterruptedUploads(t *testing.T) {
	p := inFolder(t)
	s := p.open(t)
	hash := put(t, s, "a film")
	// The Put that blocks here stands for a process that is killed while it receives
	// a file.
	reader, writer := io.Pipe()
	done := make(chan error)
	go func() {
		_, _, err := s.Put(t.Context(), reader, 100)
		done <- err
	}()
	if _, err := writer.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if begun, _ := filepath.Glob(filepath.Join(p.received, "begun-*")); len(begun) != 1 {
		t.Fatalf("in the middle: %q", begun)
	}
	s = p.open(t)
	if left := p.files(t); len(left) != 1 || read(t, s, hash) != "a film" {
		t.Errorf("after the sweep: %q", left)
	}
	_ = writer.Close()
	if err := <-done; err == nil {
		t.Error("an unfinished file that was swept got a name")
	}
}

func TestOnlyHashesAreLookedFor(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash := put(t, s, "a film")
		if err := os.WriteFile(filepath.Join(filepath.Dir(p.blobs), "secret"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			"", "a", "../secret", "..", hash[:63], hash + "0", strings.ToUpper(hash), hash[:63] + "g",
			"../" + hash[3:], strings.Repeat("/", 64), strings.Repeat(".", 64), strings.Repeat("0", 64),
		} {
			if _, err := s.File(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("File(%q): %v", name, err)
			}
			if _, err := s.Picture(t.Context(), name, 1); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Picture(%q): %v", name, err)
			}
			if err := s.Remove(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Remove(%q): %v", name, err)
			}
			if has(t, s, name) {
				t.Errorf("Has(%q)", name)
			}
		}
	})
}

func TestRemovedIsGone(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash := put(t, s, "a film")
		picture(t, s, hash, "a film")
		if gone, err := s.RemoveOld(t.Context(), hash, time.Now().Add(-time.Hour)); gone || err != nil || !has(t, s, hash) {
			t.Errorf("a young one is gone: %t, %v", gone, err)
		}
		if gone, err := s.RemoveOld(t.Context(), hash, time.Now().Add(time.Hour)); !gone || err != nil {
			t.Errorf("%t, %v", gone, err)
		}
		if gone, err := s.RemoveOld(t.Context(), hash, time.Now().Add(time.Hour)); !gone || err != nil {
			t.Errorf("once more: %t, %v", gone, err)
		}
		if has(t, s, hash) || len(p.files(t)) != 0 {
			t.Errorf("%q", p.files(t))
		}
		if _, err := s.Picture(t.Context(), hash, 6); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its copy: %v", err)
		}
	})
}

// A blob that is put again counts as recent, so RemoveOld must not delete it.
func TestPuttingABlobAgainProtectsItFromRemoveOld(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash := put(t, s, "a film")
		old := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(filepath.Join(p.blobs, hash[:2], hash[2:]), old, old); err != nil {
			t.Fatal(err)
		}
		put(t, s, "a film")
		if gone, err := s.RemoveOld(t.Context(), hash, time.Now().Add(-24*time.Hour)); gone || err != nil {
			t.Errorf("%t, %v", gone, err)
		}
	})
}

// If another process removes a blob while it is put again, it still exists in the end.
func TestBlobRemovedDuringPutIsPutAgain(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		if p.backend == nil {
			t.Skip("a folder has one process")
		}
		s, other := p.open(t), p.open(t)
		asked := 0
		s.IsRemoving = func(ctx context.Context, hash string) (bool, error) {
			if asked++; asked == 2 { // the removal began earlier and finishes now
				if err := other.Remove(ctx, hash); err != nil {
					return false, err
				}
			}
			return asked < 3, nil
		}
		if hash := put(t, s, "a film"); read(t, other, hash) != "a film" || asked != 4 {
			t.Errorf("it was looked %d times whether the removal is over", asked)
		}
	})
}

func TestConcurrentPutsOfTheSameContent(t *testing.T) {
	content := bytes.Repeat([]byte("film"), 10_000)
	inEach(t, func(t *testing.T, p place) {
		stores := []*media.Store{p.open(t), p.open(t)} // like two processes
		if p.backend == nil {
			stores = stores[:1]
		}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				s := stores[i%len(stores)]
				hash, _, err := s.Put(t.Context(), bytes.NewReader(content), 1<<20)
				if err != nil || read(t, s, hash) != string(content) {
					t.Error(hash, err)
				}
			})
		}
		all.Wait()
		if left := p.files(t); len(left) != 1 {
			t.Errorf("%q", left)
		}
	})
}

func picture(t *testing.T, s *media.Store, hash, want string) {
	t.Helper()
	file, err := s.Picture(t.Context(), hash, int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if content, err := io.ReadAll(file); string(content) != want || err != nil {
		t.Errorf("%q, %v", content, err)
	}
}

func TestFolderThatCannotBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := media.Open(file); err == nil {
		t.Error("a file is no folder")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A text is content that a change writes.
type text string

func (c text) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, string(c))
	return int64(n), err
}

// A halfText fails in the middle.
type halfText struct{}

func (halfText) WriteTo(w io.Writer) (int64, error) {
	n, _ := io.WriteString(w, "half of")
	return int64(n), errors.New("the disk is broken")
}

func TestAChangeIsStoredInPlaceOfWhatCame(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hashOf := func(content string) string {
			sum := sha256.Sum256([]byte(content))
			return hex.EncodeToString(sum[:])
		}
		try := func(content io.WriterTo, fault error) (media.Stored, error) {
			return s.PutChanged(t.Context(), strings.NewReader("what came"), 9, func(file io.ReaderAt, size int64, hash string) (io.WriterTo, error) {
				if size != 9 || hash != hashOf("what came") {
					t.Errorf("it is told of %d bytes, %s", size, hash)
				}
				return content, fault
			})
		}
		changed, err := try(text("what came, changed"), nil) // beyond the limit of what comes
		if want := (media.Stored{Hash: hashOf("what came, changed"), Size: 18, Served: hashOf("what came")}); err != nil || changed != want {
			t.Errorf("%+v, %v", changed, err)
		}
		if got := read(t, s, changed.Hash); got != "what came, changed" {
			t.Errorf("stored is %q", got)
		}
		if has(t, s, changed.Served) {
			t.Error("what came is stored, too")
		}
		before := len(p.files(t))
		if _, err := try(halfText{}, nil); err == nil {
			t.Error("half a change is stored")
		}
		if _, err := try(nil, errors.New("no")); err == nil {
			t.Error("without a change, something is stored")
		}
		if left := p.files(t); len(left) != before {
			t.Errorf("left behind: %q", left)
		}
		if same, err := try(nil, nil); err != nil || same.Served != "" || read(t, s, same.Hash) != "what came" {
			t.Errorf("%+v, %v", same, err)
		}
	})
}

func TestAScratchIsBoundedAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := media.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.Scratch(t.Context(), strings.NewReader("0123456789"), 4)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(file); string(b) != "0123" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	broken := errors.New("the line broke")
	if _, err := s.Scratch(t.Context(), iotest.ErrReader(broken), 4); !errors.Is(err, broken) {
		t.Errorf("the reader's error: %v", err)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scratch(t.Context(), strings.NewReader("0123456789"), 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}
