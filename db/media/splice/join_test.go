package splice_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db/media/splice"
)

// read reads a file, which stays open until the test ends.
func read(t testing.TB, path string) *splice.Clip {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c, err := splice.Read(file, info.Size())
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return c
}

// write writes the film into a file.
func write(t testing.TB, f *splice.Film) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film."+strings.ToLower(string(f.Container)))
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.WriteTo(file)
	if err != nil || n != f.Size {
		t.Fatalf("%d of %d bytes: %v", n, f.Size, err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// encoded lists the arguments with which ffmpeg creates files. All files of one entry
// can be joined.
var encoded = []struct {
	name  string
	video []string
	audio []string // nil for silent files
	file  string
}{
	{"H.264 without B-frames", []string{"-c:v", "libx264", "-bf", "0", "-g", "12"}, nil, "mp4"},
	{"H.264 with B-frames", []string{"-c:v", "libx264", "-bf", "3", "-b_strategy", "0", "-g", "15"}, nil, "mp4"},
	{"H.264 and AAC", []string{"-c:v", "libx264", "-bf", "3", "-g", "20"}, []string{"-c:a", "aac"}, "mp4"},
	{"H.264 and AAC at 44.1 kHz in fragments", []string{"-c:v", "libx264", "-bf", "2", "-g", "10", "-movflags", "frag_keyframe+empty_moov"}, []string{"-c:a", "aac", "-ar", "44100"}, "mp4"},
	{"H.265 and AAC", []string{"-c:v", "libx265", "-x265-params", "keyint=12:open-gop=0:log-level=none", "-tag:v", "hvc1"}, []string{"-c:a", "aac"}, "mp4"},
	{"H.265 with pictures before the key frame", []string{"-c:v", "libx265", "-x265-params", "keyint=12:open-gop=0:radl=2:bframes=3:b-adapt=0:log-level=none"}, nil, "mp4"},
	{"H.265 with open groups", []string{"-c:v", "libx265", "-x265-params", "keyint=12:log-level=none"}, nil, "mp4"},
	{"H.264 and Opus", []string{"-c:v", "libx264", "-g", "9"}, []string{"-c:a", "libopus"}, "mp4"},
	{"VP8 and Vorbis", []string{"-c:v", "libvpx", "-g", "12", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-arnr-maxframes", "7"}, []string{"-c:a", "libvorbis"}, "webm"},
	{"VP9 and Opus", []string{"-c:v", "libvpx-vp9", "-g", "12", "-cpu-used", "8"}, []string{"-c:a", "libopus"}, "webm"},
	{"AV1", []string{"-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "10"}, nil, "webm"},
}

// encode creates a file with moving pictures and a rising tone, different for each n.
func encode(t testing.TB, n, rate int, length float64, video, audio []string, ext string) string {
	args := []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=128x72:r=%d:d=%g,hue=h=%d", rate, length, n*50)}
	if audio != nil {
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("aevalsrc=sin(%d*t*(1+t)*6.28):d=%g", 200+100*n, length))
	}
	args = append(args, "-pix_fmt", "yuv420p")
	args = append(args, video...)
	return made(t, ext, append(args, audio...))
}

// A source is a file with what ffprobe and ffmpeg report about it.
type source struct {
	path   string
	probe  probe
	hashes []string // of the decoded frames, in display order
}

// hashes returns the hashes of the decoded frames of a file.
func hashes(t testing.TB, path string) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(ask(t, "ffmpeg", path, "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-")) {
		if !strings.HasPrefix(line, "#") {
			found = append(found, strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]))
		}
	}
	return found
}

func TestAFilmOfEncodedScenesShowsWhatWasKept(t *testing.T) {
	for _, e := range encoded {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var sources []source
			for n := range 3 {
				path := encode(t, n, 24, []float64{1.5, 1.1, 0.7}[n], e.video, e.audio, e.file)
				sources = append(sources, source{path, probeFile(t, path), hashes(t, path)})
			}
			random := rand.New(rand.NewPCG(7, uint64(len(e.name))))
			for round := range 3 {
				checkFilm(t, random, sources, round > 0)
			}
		})
	}
}

// In two-pass encoding, VP8 uses frames that are never shown but that others refer to.
func TestPicturesThatAreNeverShownStayInTheFilm(t *testing.T) {
	var passes [][]string
	for _, pass := range []string{"1", "2"} {
		passes = append(passes, []string{"-f", "lavfi", "-i", "testsrc2=s=128x72:r=24:d=3", "-pix_fmt", "yuv420p", "-c:v", "libvpx", "-g", "24",
			"-auto-alt-ref", "1", "-lag-in-frames", "25", "-arnr-maxframes", "7", "-pass", pass})
	}
	path := made(t, "webm", passes...)
	all := []source{{path, probeFile(t, path), hashes(t, path)}}
	if len(all[0].hashes) != 72 || len(all[0].probe.Packets) <= 72 {
		t.Fatalf("%d packets, %d pictures", len(all[0].probe.Packets), len(all[0].hashes))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		checkFilm(t, random, all, true)
	}
}

// A file that was cut without encoding can begin within a group of pictures. It is joined from
// its first own key frame on.
func TestAFileThatBeginsWithinAGroupOfPicturesIsNotJoined(t *testing.T) {
	clip := inMemory(t, filmOf(t, "edit-list.mp4"))
	whole, later := clip.Part(0, 0), clip.Part(clip.Keys()[1], 0)
	if !whole.BeginsWithin() || later.BeginsWithin() {
		t.Errorf("the whole file: %v, from frame %d on: %v", whole.BeginsWithin(), later.From, later.BeginsWithin())
	}
	plain := inMemory(t, filmOf(t, "plain24.mp4")).Part(0, 0)
	if _, err := splice.Join([]splice.Cut{plain, whole}); !errors.Is(err, splice.ErrNoCut) {
		t.Errorf("joined: %v", err)
	}
	if film, err := splice.Join([]splice.Cut{plain, later}); err != nil || film.Frames != 24+12 {
		t.Errorf("%+v, %v", film, err)
	}
}

// checkFilm joins all files, or with trim random cuts of them, and checks with ffprobe
// and ffmpeg that the film has the selected frames.
func checkFilm(t *testing.T, random *rand.Rand, all []source, trim bool) {
	t.Helper()
	var cuts []splice.Cut
	var kept []source
	var pictures []string
	describe := ""
	for i := range 2 + random.IntN(3) {
		from := all[(i+random.IntN(2))%len(all)]
		c := splice.Cut{Clip: read(t, from.path)}
		c.To = c.Clip.Frames()
		if trim {
			keys := c.Clip.Keys()
			c.From = keys[random.IntN(len(keys))]
			c.To = c.From + 1 + random.IntN(c.Clip.Frames()-c.From)
		}
		if len(from.hashes) != c.Clip.Frames() {
			t.Fatalf("%s has %d frames, and %d were read", from.path, len(from.hashes), c.Clip.Frames())
		}
		cuts, kept, pictures = append(cuts, c), append(kept, from), append(pictures, from.hashes[c.From:c.To]...)
		describe += fmt.Sprintf(" %s[%d:%d of %d]", filepath.Base(from.path), c.From, c.To, c.Clip.Frames())
	}
	film, err := splice.Join(cuts)
	if err != nil {
		t.Fatalf("%s: %v", describe, err)
	}
	path := write(t, film)
	p := probeFile(t, path)
	if n := p.frames(t); n != len(pictures) || film.Frames != len(pictures) {
		t.Errorf("%s: %d frames, and the film says %d; kept were %d", describe, n, film.Frames, len(pictures))
	}
	if !slices.Equal(hashes(t, path), pictures) {
		t.Errorf("%s: these are other pictures than those that were kept", describe)
	}
	if n := read(t, path).Frames(); n != len(pictures) {
		t.Errorf("%s: read again, it has %d frames of %d", describe, n, len(pictures))
	}
	if d := seconds(t, p.Format.Duration); math.Abs(d-film.Length.Seconds()) > 0.05 {
		t.Errorf("%s: it lasts %v s, not %v", describe, d, film.Length)
	}
	checkTimes(t, p, describe)
	checkShifts(t, path, describe)
	checkSeams(t, p, kept, cuts, describe)
}

// checkTimes checks that the packets of each track are in decoding order.
func checkTimes(t *testing.T, p probe, describe string) {
	t.Helper()
	last := map[string]float64{}
	for _, q := range p.Packets {
		dts := seconds(t, q.DTS)
		if before, ok := last[q.Kind]; ok && dts < before {
			t.Errorf("%s: %s is decoded at %v after %v", describe, q.Kind, dts, before)
		}
		last[q.Kind] = dts
	}
}

// checkShifts checks that an MP4 file has no negative composition offset, because not
// every player supports them.
func checkShifts(t *testing.T, path, describe string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := bytes.Cut(b, []byte("ctts\x00\x00\x00\x00"))
	if !found {
		return
	}
	for i := range int(binary.BigEndian.Uint32(table)) {
		if shift := int32(binary.BigEndian.Uint32(table[4+8*i+4:])); shift < 0 {
			t.Errorf("%s: a picture is shown %d ticks before it is decoded", describe, -shift)
		}
	}
}

// checkSeams compares the packets with those of the sources: within each cut, video
// and audio must be shifted by the same time, to within a frame.
func checkSeams(t *testing.T, p probe, sources []source, cuts []splice.Cut, describe string) {
	t.Helper()
	left := map[string][]probed{}
	for _, q := range p.Packets {
		left[q.Kind] = append(left[q.Kind], q)
	}
	begin := 0.0
	for i, s := range sources {
		end := begin + cuts[i].Clip.Time(cuts[i].To).Seconds() - cuts[i].Clip.Time(cuts[i].From).Seconds()
		moved := map[string][]float64{}
		for kind := range left {
			left[kind], moved[kind] = move(t, left[kind], kind, s.probe, end, i+1 == len(sources))
		}
		for _, v := range moved["video"] {
			if math.Abs(v-moved["video"][0]) > 0.002 {
				t.Errorf("%s: in cut %d pictures are moved by %v and %v", describe, i, v, moved["video"][0])
				break
			}
		}
		for _, a := range moved["audio"] {
			if len(moved["video"]) > 0 && math.Abs(a-moved["video"][0]) > 1.0/24 {
				t.Errorf("%s: in cut %d the sound is moved by %v, the picture by %v", describe, i, a, moved["video"][0])
				break
			}
		}
		if len(p.Streams) == 2 && len(moved["audio"]) == 0 && end-begin > 0.1 {
			t.Errorf("%s: cut %d has no sound", describe, i)
		}
		begin = end
	}
	for kind, rest := range left {
		if len(rest) > 0 {
			t.Errorf("%s: %d packets of %s are not of the sources", describe, len(rest), kind)
		}
	}
}

// move splits off the packets of one cut, which ends at the time end, from the
// remaining ones of the film, and returns by how much each was shifted.
func move(t *testing.T, film []probed, kind string, from probe, end float64, last bool) (left []probed, moved []float64) {
	t.Helper()
	at := map[string][]float64{}
	for _, q := range from.Packets {
		if q.Kind == kind {
			at[q.Hash] = append(at[q.Hash], seconds(t, q.PTS))
		}
	}
	for i, q := range film {
		pts, hidden := seconds(t, q.PTS), strings.Contains(q.Flags, "D")
		sources := at[q.Hash]
		past := pts > end-0.001
		if kind == "audio" && len(sources) > 0 && len(moved) > 0 {
			// The audio of the next cut may begin up to a packet before its video.
			past = past || pts > end-0.025 && math.Abs(pts-sources[0]-moved[0]) > 0.025
		}
		if len(sources) == 0 || !last && !hidden && past {
			return film[i:], moved
		}
		if !hidden && len(sources) == 1 {
			moved = append(moved, pts-sources[0])
		}
	}
	return nil, moved
}

func TestDifferencesAreNamed(t *testing.T) {
	h264, aac := []string{"-c:v", "libx264"}, []string{"-c:a", "aac"}
	make := func(video, audio []string, ext string) *splice.Clip {
		return read(t, encode(t, 1, 24, 0.4, video, audio, ext))
	}
	first := make(h264, aac, "mp4")
	if d := splice.Compare([]*splice.Clip{first, read(t, encode(t, 2, 24, 0.7, h264, aac, "mp4"))}); d != nil {
		t.Errorf("another length and tone differ: %+v", *d)
	}
	if d := splice.Compare([]*splice.Clip{first}); d != nil {
		t.Errorf("a single clip differs: %+v", *d)
	}
	for _, c := range []struct {
		video, audio []string
		ext          string
		want         splice.Difference
	}{
		{[]string{"-c:v", "libvpx"}, []string{"-c:a", "libopus"}, "webm", splice.Difference{Aspect: splice.InContainer, First: "MP4", Other: "WebM"}},
		{[]string{"-c:v", "libx265", "-x265-params", "log-level=none"}, aac, "mp4", splice.Difference{Aspect: splice.InCodec, First: "H.264", Other: "H.265"}},
		{[]string{"-c:v", "libx264", "-s", "64x36"}, aac, "mp4", splice.Difference{Aspect: splice.InSize, First: "128 × 72", Other: "64 × 36"}},
		{[]string{"-c:v", "libx264", "-profile:v", "baseline"}, aac, "mp4", splice.Difference{Aspect: splice.InConfig, First: "H.264", Other: "H.264"}},
		{[]string{"-c:v", "libx264", "-r", "30"}, aac, "mp4", splice.Difference{Aspect: splice.InConfig, First: "H.264", Other: "H.264"}},
		{h264, nil, "mp4", splice.Difference{Aspect: splice.InAudio, First: "AAC, 44100 Hz, mono"}},
		{h264, []string{"-c:a", "aac", "-ar", "48000"}, "mp4", splice.Difference{Aspect: splice.InAudio, First: "AAC, 44100 Hz, mono", Other: "AAC, 48000 Hz, mono"}},
		{h264, []string{"-c:a", "aac", "-ac", "2"}, "mp4", splice.Difference{Aspect: splice.InAudio, First: "AAC, 44100 Hz, mono", Other: "AAC, 44100 Hz, stereo"}},
		{h264, []string{"-c:a", "libopus"}, "mp4", splice.Difference{Aspect: splice.InAudio, First: "AAC, 44100 Hz, mono", Other: "Opus, 48000 Hz, mono"}},
	} {
		c.want.Clip = 2
		got := splice.Compare([]*splice.Clip{first, first, make(c.video, c.audio, c.ext)})
		if got == nil || *got != c.want {
			t.Errorf("%q %q: %+v, not %+v", c.video, c.audio, got, c.want)
		}
	}
}
