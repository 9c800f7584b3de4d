package splice_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"

	"dailies/db/media/splice"
	"dailies/web/videoapi/sandbox/film"
)

// rendered returns a video rendered by the sandbox: silent VP8 in which every frame is
// a key frame.
func rendered(t testing.TB, prompt string, length time.Duration, width int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.webm")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := film.Film{Scene: film.TextToVideo, Prompt: prompt, Duration: length, Width: width, Height: 48, Workers: 2}
	if err := f.Render(t.Context(), file, nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func inMemory(t testing.TB, b []byte) *splice.Clip {
	t.Helper()
	c, err := splice.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// container is a WebM file as an independent parser reads it.
type container struct {
	Header  webm.EBMLHeader `ebml:"EBML"`
	Segment webm.Segment    `ebml:"Segment"`
}

func unmarshal(t testing.TB, b []byte) webm.Segment {
	t.Helper()
	var c container
	if err := ebml.Unmarshal(bytes.NewReader(b), &c); err != nil {
		t.Fatal(err)
	}
	return c.Segment
}

// payloads returns the packets of a WebM file.
func payloads(t testing.TB, b []byte) [][]byte {
	t.Helper()
	var found [][]byte
	for _, c := range unmarshal(t, b).Cluster {
		for _, b := range c.SimpleBlock {
			found = append(found, b.Data[0])
		}
	}
	return found
}

func TestBrowsersCanSeekInTheFilm(t *testing.T) {
	clip := inMemory(t, rendered(t, "a boat", 3*time.Second, 64))
	f, err := splice.Join([]splice.Cut{{clip, 12, 40}, {clip, 0, 72}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := f.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	b, s := out.Bytes(), unmarshal(t, out.Bytes())
	body := bytes.Index(b, ebml.ElementSegment.Bytes()) + 12
	if s.Info.Duration < 4165 || s.Info.Duration > 4168 || len(s.Cluster) != 5 || len(s.Cues.CuePoint) != 5 {
		t.Fatalf("%v ms, %d clusters, %d cues", s.Info.Duration, len(s.Cluster), len(s.Cues.CuePoint))
	}
	for i, cue := range s.Cues.CuePoint {
		at := body + int(cue.CueTrackPositions[0].CueClusterPosition)
		if !bytes.HasPrefix(b[at:], ebml.ElementCluster.Bytes()) || cue.CueTime != s.Cluster[i].Timecode {
			t.Errorf("cue %d at %d, time %d, the cluster's time is %d", i, at, cue.CueTime, s.Cluster[i].Timecode)
		}
	}
	for _, seek := range s.SeekHead.Seek {
		if at := body + int(seek.SeekPosition); !bytes.HasPrefix(b[at:], seek.SeekID) {
			t.Errorf("no element %x at %d", seek.SeekID, at)
		}
	}
}

func TestTheSandboxesFilmsAreRead(t *testing.T) {
	c := inMemory(t, rendered(t, "a boat", 2*time.Second, 64))
	if c.Frames() != 2*film.FrameRate || len(c.Keys()) != c.Frames() || c.Container != splice.WebM {
		t.Errorf("%d frames, %d of them key frames, in %s", c.Frames(), len(c.Keys()), c.Container)
	}
	if w, h := c.Size(); w != 64 || h != 48 {
		t.Errorf("%d × %d", w, h)
	}
	if at, end := c.Time(24), c.Time(48); at != time.Second || (end-2*time.Second).Abs() > time.Millisecond {
		t.Errorf("frame 24 is shown at %v, and the end is at %v", at, end)
	}
}

func TestCutsOfTheSandboxesFilmsAreJoined(t *testing.T) {
	var films [][]byte
	for i, prompt := range []string{"a boat", "a storm", "a shore"} {
		films = append(films, rendered(t, prompt, time.Duration(i+1)*time.Second, 64))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var cuts []splice.Cut
		var kept [][]byte
		frames := 0
		for range 1 + random.IntN(5) {
			b := films[random.IntN(len(films))]
			c := splice.Cut{Clip: inMemory(t, b)}
			c.From = random.IntN(c.Clip.Frames())
			c.To = c.From + 1 + random.IntN(c.Clip.Frames()-c.From)
			cuts, frames = append(cuts, c), frames+c.To-c.From
			kept = append(kept, payloads(t, b)[c.From:c.To]...)
		}
		f, err := splice.Join(cuts)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		n, err := f.WriteTo(&out)
		if err != nil || n != f.Size || int(n) != out.Len() {
			t.Fatalf("%d bytes written, %d arrived, %d stated: %v", n, out.Len(), f.Size, err)
		}
		again := inMemory(t, out.Bytes())
		if again.Frames() != frames || f.Frames != frames {
			t.Fatalf("%d frames, and %d stated, of %d", again.Frames(), f.Frames, frames)
		}
		if !slices.EqualFunc(payloads(t, out.Bytes()), kept, bytes.Equal) {
			t.Fatal("these are other frames than those that were kept")
		}
		for i := range frames {
			if again.Time(i+1) <= again.Time(i) {
				t.Fatalf("frame %d is shown at %v, the next one at %v", i, again.Time(i), again.Time(i+1))
			}
		}
		if d := again.Time(frames) - f.Length; d.Abs() > 2*time.Millisecond {
			t.Fatalf("it lasts %v, not %v", again.Time(frames), f.Length)
		}
	}
}

func TestTheIndexStandsBeforeThePictures(t *testing.T) {
	b, err := os.ReadFile("testdata/plain.mp4")
	if err != nil {
		t.Fatal(err)
	}
	c := inMemory(t, b)
	for _, clip := range []*splice.Clip{c, inMemory(t, rendered(t, "a boat", 3*time.Second, 64))} {
		f, err := splice.Join([]splice.Cut{{clip, 0, clip.Frames()}, {clip, 0, clip.Frames()}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := f.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		index, data := "moov", "mdat"
		if clip.Container == splice.WebM {
			index, data = "\x1c\x53\xbb\x6b\x40", "\x1f\x43\xb6\x75"
		}
		if i, k := bytes.Index(out.Bytes(), []byte(index)), bytes.Index(out.Bytes(), []byte(data)); i < 0 || k < i {
			t.Errorf("%s: the index stands at %d, the pictures at %d", clip.Container, i, k)
		}
	}
}

func TestImpossibleCutsAreRefused(t *testing.T) {
	whole := inMemory(t, rendered(t, "a boat", time.Second, 64))
	b, err := os.ReadFile("testdata/plain.mp4")
	if err != nil {
		t.Fatal(err)
	}
	sparse := inMemory(t, b)
	if keys := sparse.Keys(); !slices.Equal(keys, []int{0, 6}) || sparse.Key(5) != 0 || sparse.Key(6) != 6 || sparse.Key(11) != 6 {
		t.Errorf("its key frames are %v; before 5 lies %d", keys, sparse.Key(5))
	}
	for _, c := range []splice.Cut{{whole, -1, 3}, {whole, 3, 3}, {whole, 0, 25}, {whole, 24, 25}, {sparse, 1, 4}} {
		if _, err := splice.Join([]splice.Cut{c}); !errors.Is(err, splice.ErrNoCut) {
			t.Errorf("%d to %d: %v", c.From, c.To, err)
		}
	}
	if _, err := splice.Join(nil); !errors.Is(err, splice.ErrNoCut) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := splice.Join([]splice.Cut{{whole, 0, 2}, {sparse, 0, 2}}); !errors.Is(err, splice.ErrDiffers) {
		t.Errorf("two containers: %v", err)
	}
}

func TestWriteToReportsIncompleteFilms(t *testing.T) {
	b := rendered(t, "a boat", time.Second, 64)
	clip := inMemory(t, b)
	f, err := splice.Join([]splice.Cut{{clip, 0, 24}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteTo(&limited{room: 1000}); err == nil {
		t.Error("what was not written is not told")
	}
	cut := &replaced{bytes.NewReader(b)}
	if clip, err = splice.Read(cut, int64(len(b))); err != nil {
		t.Fatal(err)
	}
	cut.Reader = bytes.NewReader(b[:len(b)/2])
	if f, err = splice.Join([]splice.Cut{{clip, 0, 24}}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteTo(io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %v", err)
	}
}

// limited is a writer that fails after room bytes.
type limited struct{ room int }

func (l *limited) Write(b []byte) (int, error) {
	if l.room -= len(b); l.room < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

// replaced is a file whose content can be replaced.
type replaced struct{ *bytes.Reader }
