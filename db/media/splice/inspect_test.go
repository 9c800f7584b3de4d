package splice_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"dailies/db/media/splice"
)

func filmOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInspectSaysWhatAFilmContains(t *testing.T) {
	for _, want := range []struct {
		name          string
		format        splice.Format
		video, sound  string
		rotation      int
		frames        int
		varies        bool
		usual, length time.Duration
	}{
		{"hevc-sound.mp4", splice.IsMP4, "hvc1.1.6.L30.90", "mp4a.40.2", 0, 24, false, time.Second / 24, time.Second},
		{"hevc-10bit.mp4", splice.IsMP4, "hev1.2.4.L30.90", "", 0, 24, false, time.Second / 24, time.Second},
		{"h264-10bit.mp4", splice.IsMP4, "avc1.6e000a", "", 0, 24, false, time.Second / 24, time.Second},
		{"av1.mp4", splice.IsMP4, "av01.0.00M.08", "", 0, 24, false, time.Second / 24, time.Second},
		{"plain24.mp4", splice.IsMP4, "avc1.64000a", "", 0, 24, false, time.Second / 24, time.Second},
		{"rotated.mp4", splice.IsMP4, "avc1.64000a", "", 270, 24, false, time.Second / 24, time.Second},
		{"fragments24.mp4", splice.IsMP4, "avc1.64000a", "mp4a.40.2", 0, 24, false, time.Second / 24, time.Second},
		{"edit-list.mp4", splice.IsMP4, "avc1.64000a", "", 0, 18, false, time.Second / 24, 750 * time.Millisecond},
		{"vfr.mp4", splice.IsMP4, "avc1.64000a", "", 0, 24, true, 125 * time.Millisecond, 2 * time.Second},
		{"sound-only.mp4", splice.IsMP4, "", "mp4a.40.2", 0, 0, false, 0, 0},
		{"h264-pcm.mov", splice.IsMOV, "avc1.64000a", "sowt", 0, 24, false, time.Second / 24, time.Second},
		{"prores.mov", splice.IsMOV, "apco", "", 0, 12, false, time.Second / 24, time.Second / 2},
		{"vp9.webm", splice.IsWebM, "vp09.00.10.08", "opus", 0, 24, false, 42 * time.Millisecond, time.Second},
		{"live.webm", splice.IsWebM, "vp8", "", 0, 24, false, 42 * time.Millisecond, time.Second},
		{"h264.mkv", splice.IsMKV, "avc1.64000a", "mp4a.40.2", 0, 24, false, 42 * time.Millisecond, time.Second},
		{"h264.ts", splice.IsTS, "avc1", "mp4a.40.2", 0, 0, false, 0, 0},
	} {
		b := filmOf(t, want.name)
		x, err := splice.Inspect(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", want.name, err)
			continue
		}
		if x.Format != want.format || x.Video != want.video || x.Sound != want.sound || x.Rotation != want.rotation || x.Frames() != want.frames || x.Varies() != want.varies {
			t.Errorf("%s: %+v, %d frames, varies %v", want.name, *x, x.Frames(), x.Varies())
		}
		if off := x.UsualLength() - want.usual; off < -time.Millisecond || off > time.Millisecond {
			t.Errorf("%s: most frames last %v", want.name, x.UsualLength())
		}
		if off := x.Length() - want.length; off < -90*time.Millisecond || off > 160*time.Millisecond {
			t.Errorf("%s: it lasts %v", want.name, x.Length())
		}
	}
}

// cutToFit returns the first size bytes of an MP4 file, of which the last box is said to end
// there.
func cutToFit(t *testing.T, b []byte, size int) []byte {
	t.Helper()
	b = bytes.Clone(b[:size])
	for at := 0; ; {
		length := int(binary.BigEndian.Uint32(b[at:]))
		if at+length >= size || length < 8 {
			binary.BigEndian.PutUint32(b[at:], uint32(size-at))
			return b
		}
		at += length
	}
}

func TestInspectNoticesFilmsThatAreNotWhole(t *testing.T) {
	check := func(name string, b []byte) {
		t.Helper()
		if _, err := splice.Inspect(bytes.NewReader(b), int64(len(b))); !errors.Is(err, splice.ErrCut) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{
		"hevc-sound.mp4", "av1.mp4", "plain24.mp4", "edit-list.mp4", "vfr.mp4", "sound-only.mp4", "h264-pcm.mov", "prores.mov", "vp9.webm", "h264.mkv", "h264.ts",
	} {
		b := filmOf(t, name)
		for _, eighths := range []int{1, 2, 4, 7} {
			check(name, b[:len(b)*eighths/8-1])
			if strings.HasSuffix(name, ".mp4") || strings.HasSuffix(name, ".mov") {
				check(name+", its last box cut to fit", cutToFit(t, b, len(b)*eighths/8))
			}
		}
		check(name+" without its last byte", b[:len(b)-1])
	}
	for _, name := range []string{"fragments24.mp4", "live.webm"} { // which may end after any fragment
		b := filmOf(t, name)
		check(name, b[:len(b)*5/8])
		check(name, b[:len(b)/8])
	}
	check("fragments, the last cut to fit", cutToFit(t, filmOf(t, "fragments24.mp4"), 4000))
	check("no frame at all", filmOf(t, "fragments24.mp4")[:bytes.Index(filmOf(t, "fragments24.mp4"), []byte("moof"))-4])
	check("nothing", nil)
}

// A WebM file that ends after a cluster, and says that this is its end, still says how long it
// is, and where its cues are.
func TestInspectNoticesAWebMFileThatWasCutToFit(t *testing.T) {
	b := filmOf(t, "vp9.webm")
	at := bytes.LastIndex(b, []byte("\x1f\x43\xb6\x75"))
	segment := bytes.Index(b, []byte("\x18\x53\x80\x67"))
	cut := bytes.Clone(b[:at])
	binary.BigEndian.PutUint64(cut[segment+4:], 1<<56|uint64(at-segment-12))
	if _, err := splice.Inspect(bytes.NewReader(cut), int64(len(cut))); !errors.Is(err, splice.ErrCut) {
		t.Errorf("got %v", err)
	}
}

func TestInspectLeavesOtherFilesAlone(t *testing.T) {
	for _, name := range []string{"short.gif", "sound.mp3"} {
		b := filmOf(t, name)
		if _, err := splice.Inspect(bytes.NewReader(b), int64(len(b))); !errors.Is(err, splice.ErrUnsupported) || errors.Is(err, splice.ErrCut) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An index that is not understood, such as a compressed one, may be whole.
	odd := atom("ftyp", "qt  \x00\x00\x00\x00qt  ") + atom("moov", atom("cmov", "....")) + atom("mdat", "pictures")
	if _, err := splice.Inspect(strings.NewReader(odd), int64(len(odd))); !errors.Is(err, splice.ErrUnsupported) || errors.Is(err, splice.ErrCut) {
		t.Errorf("with an odd index: %v", err)
	}
	b := append(filmOf(t, "plain24.mp4"), "\x00\x00\x00\x00 no box"...)
	if _, err := splice.Inspect(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Errorf("with bytes after the end: %v", err)
	}
}

// FuzzInspect reads the index of arbitrary bytes: whatever they are, the work is bounded, and
// what is found can be asked for.
func FuzzInspect(f *testing.F) {
	for _, name := range []string{"hevc-sound.mp4", "fragments24.mp4", "h264-pcm.mov", "vp9.webm", "h264.mkv", "h264.ts", "edit-list.mp4"} {
		f.Add(filmOf(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := splice.Inspect(bytes.NewReader(b), int64(len(b)))
		if err != nil && !errors.Is(err, splice.ErrCut) && !errors.Is(err, splice.ErrUnsupported) {
			t.Fatal(err)
		}
		if strings.ContainsAny(x.Video+x.Sound, "\"'<>& ,;\x00") {
			t.Errorf("codecs %q, %q", x.Video, x.Sound)
		}
		if x.Varies(); x.Frames() > 0 && (x.UsualLength() < 0 || x.FrameAt(x.Time(x.Frames())) != x.Frames()-1) {
			t.Errorf("%d frames, %v", x.Frames(), x.UsualLength())
		}
	})
}
