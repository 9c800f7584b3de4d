package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"dailies/db/media"
)

func open(t *testing.T, dir string) *media.Store {
	t.Helper()
	s, err := media.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
	file, err := s.File(hash)
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

// files returns the names of all files under dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatIsPutIsReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "media")
	s := open(t, dir)
	for _, content := range []string{"a film", "", strings.Repeat("x", 1000)} {
		hash := put(t, s, content)
		if sum := sha256.Sum256([]byte(content)); hash != hex.EncodeToString(sum[:]) {
			t.Errorf("%.10q is named %s", content, hash)
		}
		if !s.Has(hash) || read(t, s, hash) != content {
			t.Errorf("%.10q is not read back", content)
		}
		if _, err := os.Stat(filepath.Join(dir, hash[:2], hash[2:])); err != nil {
			t.Error(err)
		}
	}
}

func TestSameContentIsKeptOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, second := put(t, s, "a film"), put(t, s, "a film")
	if first != second || len(files(t, dir)) != 1 {
		t.Errorf("%s and %s: %q", first, second, files(t, dir))
	}
}

func TestDamagedBlobIsHealed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	hash := put(t, s, "a film")
	if err := os.WriteFile(filepath.Join(dir, hash[:2], hash[2:]), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s, "a film")
	if got := read(t, s, hash); got != "a film" {
		t.Errorf("%q", got)
	}
}

func TestNothingIsLeftAfterAnError(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	broken := errors.New("the line broke")
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
		dir := t.TempDir()
		hash, size, err := open(t, dir).Put(c.ctx, c.from, 10)
		if !errors.Is(err, c.want) || hash != "" || size != 0 {
			t.Errorf("%s: %q, %d, %v", name, hash, size, err)
		}
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("%s: left %q", name, left)
		}
	}
}

func TestLimitItselfIsAllowed(t *testing.T) {
	if _, size, err := open(t, t.TempDir()).Put(t.Context(), strings.NewReader("1234567890"), 10); err != nil || size != 10 {
		t.Errorf("%d, %v", size, err)
	}
}

func TestWhatWasInterruptedIsSweptAtOpen(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	hash := put(t, s, "a film")
	// A program that is killed in the middle leaves its unfinished file.
	reader, writer := io.Pipe()
	done := make(chan error)
	go func() {
		_, _, err := s.Put(t.Context(), reader, 100)
		done <- err
	}()
	if _, err := writer.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if len(files(t, dir)) != 2 {
		t.Fatalf("in the middle: %q", files(t, dir))
	}
	s = open(t, dir)
	if left := files(t, dir); len(left) != 1 || read(t, s, hash) != "a film" {
		t.Errorf("after the sweep: %q", left)
	}
	_ = writer.Close()
	if err := <-done; err == nil {
		t.Error("an unfinished file that was swept got a name")
	}
}

func TestOnlyHashesAreLookedFor(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "media"))
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	hash := put(t, s, "a film")
	for _, name := range []string{
		"", "a", "../secret", "..", hash[:63], hash + "0", strings.ToUpper(hash), hash[:63] + "g",
		"../" + hash[3:], strings.Repeat("/", 64), strings.Repeat(".", 64), strings.Repeat("0", 64),
	} {
		if _, err := s.File(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("File(%q): %v", name, err)
		}
		if err := s.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Remove(%q): %v", name, err)
		}
		if s.Has(name) {
			t.Errorf("Has(%q)", name)
		}
	}
}

func TestRemovedIsGone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	hash := put(t, s, "a film")
	if err := s.Remove(hash); err != nil {
		t.Fatal(err)
	}
	if s.Has(hash) || len(files(t, dir)) != 0 {
		t.Errorf("%q", files(t, dir))
	}
}

func TestManyPutTheSameAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	content := bytes.Repeat([]byte("film"), 10_000)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			hash, _, err := s.Put(t.Context(), bytes.NewReader(content), 1<<20)
			if err != nil || read(t, s, hash) != string(content) {
				t.Error(hash, err)
			}
		})
	}
	all.Wait()
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("%q", left)
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
