package splice_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db/media/splice"
)

// labelled adds the label to a file, and returns the path of the result.
func labelled(t testing.TB, path string) (string, error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	l, err := splice.Label(file, info.Size(), aigc(9))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if n, err := l.WriteTo(&b); err != nil || n != l.Size {
		t.Fatalf("%d bytes of %d: %v", n, l.Size, err)
	}
	out := filepath.Join(t.TempDir(), "labelled"+filepath.Ext(path))
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// decoded returns the times and hashes of all decoded frames and sounds.
func decoded(t testing.TB, path string) string {
	return ask(t, "ffmpeg", path, "-i", path, "-map", "0", "-fps_mode", "passthrough", "-f", "framemd5", "-")
}

func TestALabelledFileShowsAndSaysWhatItDid(t *testing.T) {
	h264, sound := []string{"-c:v", "libx264", "-g", "12", "-bf", "2"}, []string{"-c:a", "aac"}
	vp8, vorbis := []string{"-c:v", "libvpx", "-g", "12"}, []string{"-c:a", "libvorbis"}
	title := []string{"-metadata", "title=Tea", "-metadata", "artist=Ana"}
	tests := map[string]struct {
		video, audio []string
		ext          string
		moves        bool // the frames are elsewhere afterwards
	}{
		"MP4, index last":           {h264, append(sound, "-movflags", "-faststart"), "mp4", false},
		"MP4, index first":          {h264, append(sound, "-movflags", "+faststart"), "mp4", true},
		"MP4, index first, iTunes":  {h264, slices.Concat(title, sound, []string{"-movflags", "+faststart"}), "mp4", true},
		"MP4, index first, keys":    {h264, slices.Concat(title, sound, []string{"-movflags", "+faststart+use_metadata_tags"}), "mp4", true},
		"MP4, room after the index": {h264, slices.Concat(title, sound, []string{"-moov_size", "30000"}), "mp4", false},
		"WebM":                      {vp8, append(slices.Clone(vorbis), title...), "webm", false},
		"WebM, cues first":          {vp8, append(slices.Clone(vorbis), "-cues_to_front", "1"), "webm", false},
		"WebM, cues in room":        {vp8, append(slices.Clone(vorbis), "-reserve_index_space", "20000"), "webm", false},
		"WebM, no tags, bitexact":   {vp8, append(slices.Clone(vorbis), "-fflags", "+bitexact", "-flags", "+bitexact"), "webm", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := encode(t, 1, 24, 1.2, test.video, test.audio, test.ext)
			check(t, before, test.moves)
		})
	}
	// These begin with the cues, and have no seek head or one without room.
	const path = "testdata/sandbox.webm" // a film of the sandbox, whose pixels differ between processors
	check(t, path, true)
	check(t, joined(t, path, path), false)
}

// check adds the label to a file, and compares what ffmpeg and ffprobe find in both.
func check(t *testing.T, before string, moves bool) {
	t.Helper()
	after, err := labelled(t, before)
	if err != nil {
		t.Fatal(err)
	}
	if decoded(t, before) != decoded(t, after) {
		t.Error("ffmpeg decodes other frames or sounds")
	}
	want := tagsOf(t, before)
	t.Logf("before: %q; after: %q", want, tagsOf(t, after))
	if want["aigc"] = aigc(9); !maps.Equal(tagsOf(t, after), want) {
		t.Errorf("the metadata is %q, not %q", tagsOf(t, after), want)
	}
	// A player that seeks decodes the same frame.
	seek := func(path string) string {
		return ask(t, "ffmpeg", path, "-ss", "0.6", "-i", path, "-map", "0:v", "-frames:v", "3", "-f", "framemd5", "-")
	}
	if seek(before) != seek(after) {
		t.Error("after seeking, other frames are shown")
	}
	a, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(after)
	if err != nil {
		t.Fatal(err)
	}
	if moved := !bytes.Equal(a[len(a)/2:len(a)/2+100], b[len(a)/2:len(a)/2+100]); moved != moves {
		t.Errorf("the frames moved: %v, not %v", moved, moves)
	}
	if _, err := labelled(t, after); !errors.Is(err, splice.ErrNoLabel) {
		t.Errorf("it gets a second label: %v", err)
	}
	if m := read(t, after).Marks(); !m.Label {
		t.Error("read again, it has no label")
	}
}

func TestWhatCannotBeLabelledSafelyStays(t *testing.T) {
	h264, vp8 := []string{"-c:v", "libx264", "-g", "12"}, []string{"-c:v", "libvpx", "-g", "12"}
	for name, path := range map[string]string{
		"fragments":     encode(t, 1, 24, 0.5, append(h264, "-movflags", "frag_keyframe+empty_moov"), nil, "mp4"),
		"QuickTime":     encode(t, 1, 24, 0.5, h264, nil, "mov"),
		"live WebM":     encode(t, 1, 24, 0.5, append(vp8, "-f", "webm", "-live", "1"), nil, "webm"),
		"a label":       marked(t, 1, "mp4", []string{"AIGC={}"}, "-movflags", "+use_metadata_tags"),
		"a label, WebM": marked(t, 1, "webm", []string{"AIGC={}"}),
	} {
		if _, err := labelled(t, path); !errors.Is(err, splice.ErrNoLabel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain, err := os.ReadFile("testdata/plain.mp4")
	if err != nil {
		t.Fatal(err)
	}
	// The number of offsets is that of one table; a larger one exceeds its box.
	broken := bytes.Replace(plain, []byte("stco\x00\x00\x00\x00\x00\x00\x00"), []byte("stco\x00\x00\x00\x00\x7f\x00\x00"), 1)
	for name, file := range map[string]string{
		"Content Credentials": string(plain) + atom("uuid", credentials, "manifest"),
		"XMP with a label":    string(plain) + atom("uuid", xmp, "trainedAlgorithmicMedia"),
		"a broken table":      string(broken),
		"no video":            "MZ" + strings.Repeat("x", 4000),
		"an index of parts":   string(plain) + atom("sidx", u32(0)),
		"no bytes":            "",
	} {
		if _, err := splice.Label(strings.NewReader(file), int64(len(file)), aigc(1)); !errors.Is(err, splice.ErrNoLabel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := splice.Label(brokenDisk{}, 1000, aigc(1)); !errors.Is(err, errDisk) || errors.Is(err, splice.ErrNoLabel) {
		t.Errorf("a broken disk: %v", err)
	}
}

func TestAFilmWithoutALabelGetsOne(t *testing.T) {
	for _, ext := range []string{"mp4", "webm"} {
		plain, own := read(t, marked(t, 1, ext, []string{"title=Tea"})), read(t, marked(t, 2, ext, []string{"AIGC=" + aigc(2)}, map[string][]string{"mp4": {"-movflags", "+use_metadata_tags"}}[ext]...))
		for want, clip := range map[string]*splice.Clip{aigc(1): plain, aigc(2): own} {
			film, err := splice.JoinLabelled([]splice.Cut{{Clip: plain, To: 6}, {Clip: clip, To: 6}}, aigc(1))
			if err != nil {
				t.Fatal(err)
			}
			if tags := tagsOf(t, write(t, film)); tags["aigc"] != want || tags["aigc.2"] != "" || tags["title"] != "Tea" {
				t.Errorf("the film has %q", tags)
			}
		}
	}
}
