package film_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"testing"
	"time"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"

	"dailies/web/videoapi/sandbox/film"
)

// memory is a file in memory, an io.WriteSeeker.
type memory struct {
	b  []byte
	at int
}

func (m *memory) Write(p []byte) (int, error) {
	m.b = append(m.b[:m.at], append(p[:len(p):len(p)], m.b[min(len(m.b), m.at+len(p)):]...)...)
	m.at += len(p)
	return len(p), nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.New("only from the start")
	}
	m.at = int(offset)
	return offset, nil
}

// small returns a film that renders quickly.
func small(scene string, pictures int) film.Film {
	f := film.Film{Scene: scene, Prompt: "A paper boat crosses the harbour", Model: "veo3", Duration: time.Second, Width: 96, Height: 54, Workers: 2}
	for i := range pictures {
		f.Pictures = append(f.Pictures, detailed(80+40*i, 120-20*i))
	}
	return f
}

func render(t *testing.T, f film.Film) []byte {
	t.Helper()
	var m memory
	if err := f.Render(t.Context(), &m, nil); err != nil {
		t.Fatal(err)
	}
	return m.b
}

// container holds a WebM file that has been parsed.
type container struct {
	Header  webm.EBMLHeader `ebml:"EBML"`
	Segment webm.Segment    `ebml:"Segment"`
}

func TestFilmIsWebMThatBrowsersCanSeekIn(t *testing.T) {
	f := small(film.TextToVideo, 0)
	f.Duration = 2500 * time.Millisecond
	b := render(t, f)
	var c container
	if err := ebml.Unmarshal(bytes.NewReader(b), &c); err != nil {
		t.Fatal(err)
	}
	s := c.Segment
	if c.Header.DocType != "webm" || s.Info.Duration != 2500 || s.Cues == nil {
		t.Fatalf("header %+v, info %+v, cues %v", c.Header, s.Info, s.Cues)
	}
	if v := s.Tracks.TrackEntry[0]; v.CodecID != "V_VP8" || v.Video.PixelWidth != 96 || v.Video.PixelHeight != 54 {
		t.Errorf("track %+v", v)
	}
	body := int64(bytes.Index(b, ebml.ElementSegment.Bytes())) + 12
	if size := int64(len(b)) - body; int64(uint56(b[body-7:])) != size {
		t.Errorf("segment says it has %d bytes, not %d", uint56(b[body-7:]), size)
	}
	if len(s.Cluster) != 3 || len(s.Cues.CuePoint) != 3 {
		t.Fatalf("%d clusters, %d cues", len(s.Cluster), len(s.Cues.CuePoint))
	}
	for i, cue := range s.Cues.CuePoint {
		at := body + int64(cue.CueTrackPositions[0].CueClusterPosition)
		if !bytes.HasPrefix(b[at:], ebml.ElementCluster.Bytes()) || cue.CueTime != uint64(i)*1000 || s.Cluster[i].Timecode != cue.CueTime {
			t.Errorf("cue %d at %d, time %d, cluster's time %d", i, at, cue.CueTime, s.Cluster[i].Timecode)
		}
	}
	if cues, cluster := bytes.Index(b, ebml.ElementCues.Bytes()), bytes.Index(b, ebml.ElementCluster.Bytes()); cues < 0 || cues > cluster {
		t.Errorf("cues at %d, the first cluster at %d", cues, cluster)
	}
	checkFrames(t, s.Cluster, 60)
}

// checkFrames checks that all frames are there, at the right times, each a key
// frame of the right size.
func checkFrames(t *testing.T, clusters []webm.Cluster, want int) {
	t.Helper()
	n := 0
	for _, c := range clusters {
		for _, b := range c.SimpleBlock {
			if ms := int(c.Timecode) + int(b.Timecode); ms != int(math.Round(float64(n)*1000/24)) {
				t.Errorf("frame %d at %d ms", n, ms)
			}
			v := b.Data[0]
			w, h := int(v[6])|int(v[7])<<8, int(v[8])|int(v[9])<<8
			if !b.Keyframe || v[0]&1 != 0 || !bytes.Equal(v[3:6], []byte{0x9d, 0x01, 0x2a}) || w != 96 || h != 54 {
				t.Fatalf("frame %d: % x", n, v[:10])
			}
			n++
		}
	}
	if n != want {
		t.Errorf("%d frames, not %d", n, want)
	}
}

// uint56 reads the first seven bytes as a big-endian number.
func uint56(b []byte) (n uint64) {
	for _, v := range b[:7] {
		n = n<<8 | uint64(v)
	}
	return n
}

func TestSameFilmGivesSameBytes(t *testing.T) {
	for _, f := range []film.Film{small(film.TextToVideo, 0), small(film.FramesToVideo, 2), small(film.ReferenceToVideo, 3)} {
		one := render(t, f)
		f.Workers = 3
		if !bytes.Equal(one, render(t, f)) {
			t.Errorf("%s differs from itself", f.Scene)
		}
		f.Seed++
		if bytes.Equal(one, render(t, f)) {
			t.Errorf("%s is the same with another seed", f.Scene)
		}
	}
}

func TestEverySceneInEveryRatio(t *testing.T) {
	scenes := map[string]int{film.TextToVideo: 0, film.ImageToVideo: 1, film.FramesToVideo: 2, film.ReferenceToVideo: 3}
	for scene, pictures := range scenes {
		for _, ratio := range []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"} {
			t.Run(scene+" "+ratio, func(t *testing.T) {
				f := small(scene, pictures)
				w, h := film.Size("480p", ratio)
				f.Width, f.Height = w/20*2, h/20*2
				render(t, f)
			})
		}
	}
}

func TestEveryMoodHasACoverAtTinySizes(t *testing.T) {
	prompts := []string{"mountains", "desert", "sea at night", "stars", "neon city", "", "\x00\xff\n", "x"}
	for _, p := range prompts {
		for seed := range int64(4) {
			f := small(film.TextToVideo, 0)
			f.Prompt, f.Seed, f.Width, f.Height = p, seed-2, 16+int(seed)*14, 34
			var b bytes.Buffer
			if err := f.Cover(&b); err != nil || b.Len() == 0 {
				t.Errorf("%q: %d bytes, %v", p, b.Len(), err)
			}
		}
	}
}

func TestCoverIsAJPEGOfTheFilmsSize(t *testing.T) {
	var b bytes.Buffer
	if err := small(film.ImageToVideo, 1).Cover(&b); err != nil {
		t.Fatal(err)
	}
	if c, err := jpeg.DecodeConfig(&b); err != nil || c.Width != 96 || c.Height != 54 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRenderStopsWithItsContext(t *testing.T) {
	f := small(film.TextToVideo, 0)
	f.Duration = 30 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	cause := f.Render(ctx, &memory{}, func(share float64) { cancel() })
	if !errors.Is(cause, context.Canceled) {
		t.Errorf("error %v", cause)
	}
}

func TestRenderReportsItsProgress(t *testing.T) {
	f := small(film.TextToVideo, 0)
	f.Duration = 2 * time.Second
	var told []float64
	if err := f.Render(t.Context(), &memory{}, func(share float64) { told = append(told, share) }); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(told) != "[0.5 1]" {
		t.Errorf("progress %v", told)
	}
}

func TestRenderReportsAFullDisk(t *testing.T) {
	if err := small(film.TextToVideo, 0).Render(t.Context(), full{}, nil); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error)      { return 0, errFull }
func (full) Seek(int64, int) (int64, error) { return 0, nil }

func TestFilmRefusesWhatItCannotShow(t *testing.T) {
	for name, spoil := range map[string]func(*film.Film){
		"scene":    func(f *film.Film) { f.Scene = "text" },
		"pictures": func(f *film.Film) { f.Pictures = nil },
		"empty":    func(f *film.Film) { f.Pictures[0] = image.NewRGBA(image.Rectangle{}) },
		"nil":      func(f *film.Film) { f.Pictures[0] = nil },
		"short":    func(f *film.Film) { f.Duration = 0 },
		"long":     func(f *film.Film) { f.Duration = time.Minute },
		"odd":      func(f *film.Film) { f.Width++ },
		"huge":     func(f *film.Film) { f.Height = 5000 },
	} {
		f := small(film.ImageToVideo, 1)
		spoil(&f)
		var m memory
		if err := f.Render(t.Context(), &m, nil); err == nil || len(m.b) > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, len(m.b))
		}
	}
}

func TestSizeKeepsTheShortSideAndEvenNumbers(t *testing.T) {
	for _, c := range []struct {
		resolution, ratio string
		w, h              int
	}{
		{"720p", "16:9", 1280, 720}, {"1080p", "9:16", 1080, 1920}, {"480p", "1:1", 480, 480},
		{"480p", "16:9", 854, 480}, {"720p", "4:3", 960, 720}, {"720p", "3:4", 720, 960},
		{"1080p", "21:9", 2520, 1080}, {"480p", "9:21", 480, 1120},
		{"720p", "", 1280, 720}, {"720p", "Auto", 1280, 720}, {"", "1:1", 720, 720},
	} {
		if w, h := film.Size(c.resolution, c.ratio); w != c.w || h != c.h {
			t.Errorf("%s %s: %d by %d", c.resolution, c.ratio, w, h)
		}
	}
}

func TestSizeLikeTakesTheNearestRatio(t *testing.T) {
	for _, c := range []struct{ pw, ph, w, h int }{
		{4000, 3000, 960, 720}, {1080, 1920, 720, 1280}, {500, 510, 720, 720}, {3000, 1000, 1680, 720}, {0, 0, 1280, 720},
	} {
		if w, h := film.SizeLike("720p", image.Rect(0, 0, c.pw, c.ph)); w != c.w || h != c.h {
			t.Errorf("%d by %d: %d by %d", c.pw, c.ph, w, h)
		}
	}
}
