package media_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/media"
	"dailies/db/media/buckettest"
)

func TestPicturesAreCachedWithinABound(t *testing.T) {
	server := buckettest.New(t)
	b := server.Open(t, server.URL(""), slog.New(slog.DiscardHandler))
	p := place{server.Dir, t.TempDir(), b}
	s := p.open(t)
	media.Cached(s, 16_000)
	content := func(i int) string { return strings.Repeat(string(rune('a'+i)), 1000) }
	var hashes []string
	for i := range 20 {
		hashes = append(hashes, put(t, s, content(i)))
		picture(t, s, hashes[i], content(i))
		picture(t, s, hashes[0], content(0)) // remains the most recently used
	}
	copies := func() (n int) {
		for i, hash := range hashes {
			if _, err := os.Stat(filepath.Join(p.received, "pictures", hash)); err == nil {
				n++
			} else if i == 0 || i == 19 {
				t.Errorf("picture %d is gone: %v", i, err)
			}
		}
		return n
	}
	if n := copies(); n != 16 {
		t.Errorf("%d copies", n)
	}

	// After a restart the same copies are there, and the oldest is evicted first.
	s = p.open(t)
	media.Cached(s, 16_000)
	if n := copies(); n != 16 {
		t.Errorf("%d copies", n)
	}
	picture(t, s, hashes[1], content(1))
	if n := copies(); n != 16 {
		t.Errorf("%d copies", n)
	}

	// A blob that was damaged in the bucket is not copied.
	damaged := put(t, s, strings.Repeat("x", 1000))
	if err := os.WriteFile(filepath.Join(server.Dir, damaged[:2], damaged[2:]), []byte(strings.Repeat("z", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	picture(t, s, damaged, strings.Repeat("z", 1000))
	if _, err := os.Stat(filepath.Join(p.received, "pictures", damaged)); err == nil {
		t.Error("a damaged one is copied")
	}
}
