package splice_test

import (
	"testing"

	"dailies/db/media/splice"
)

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
