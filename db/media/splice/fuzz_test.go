package splice_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"dailies/db/media/splice"
)

// FuzzRead reads arbitrary bytes, and joins cuts of every clip that can be read. The
// film must have the announced size and the frames of the cuts.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"plain.mp4", "fragments.mp4"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(1), uint16(7))
	}
	short, err := splice.Join([]splice.Cut{{Clip: inMemory(f, rendered(f, "a", time.Second, 16)), From: 5, To: 8}})
	if err != nil {
		f.Fatal(err)
	}
	var small bytes.Buffer
	if _, err := short.WriteTo(&small); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes(), uint16(0), uint16(24))
	f.Fuzz(func(t *testing.T, b []byte, from, to uint16) {
		c, err := splice.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		cut := splice.Cut{Clip: c, From: c.Key(int(from) % c.Frames())}
		cut.To = cut.From + 1 + int(to)%(c.Frames()-cut.From)
		film, err := splice.Join([]splice.Cut{cut, cut})
		if err != nil {
			return // such as a film that is too long
		}
		n, err := film.WriteTo(io.Discard)
		if err != nil || n != film.Size || film.Frames != 2*(cut.To-cut.From) {
			t.Errorf("%d of %d bytes, %d frames of %d: %v", n, film.Size, film.Frames, 2*(cut.To-cut.From), err)
		}
	})
}

// FuzzReadMarks reads the metadata of arbitrary bytes. Whatever they are, only the file
// itself can be a reason for an error.
func FuzzReadMarks(f *testing.F) {
	for _, b := range markedSeeds() {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := splice.ReadMarks(bytes.NewReader(b), int64(len(b))); err != nil {
			t.Error(err)
		}
	})
}

// FuzzLabel adds a label to arbitrary bytes. If that is possible, the result is as long as
// announced, is a video with the same frames, and has a label, so that it gets no other.
func FuzzLabel(f *testing.F) {
	for _, name := range []string{"plain.mp4", "fragments.mp4"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(rendered(f, "a", time.Second, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := splice.Label(bytes.NewReader(b), int64(len(b)), "{}")
		if err != nil {
			if !errors.Is(err, splice.ErrNoLabel) {
				t.Error(err)
			}
			return
		}
		var out bytes.Buffer
		if n, err := l.WriteTo(&out); err != nil || n != l.Size {
			t.Fatalf("%d bytes of %d: %v", n, l.Size, err)
		}
		before, err := splice.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		after, err := splice.Read(bytes.NewReader(out.Bytes()), l.Size)
		if err != nil || after.Frames() != before.Frames() || after.Length() != before.Length() {
			t.Fatalf("afterwards: %v", err)
		}
		if _, err := splice.Label(bytes.NewReader(out.Bytes()), l.Size, "{}"); !errors.Is(err, splice.ErrNoLabel) {
			t.Errorf("it gets a second label: %v", err)
		}
	})
}
