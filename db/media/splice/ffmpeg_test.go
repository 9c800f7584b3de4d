package splice_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"dailies/web/scope"
)

// tool returns the path of ffmpeg or ffprobe. If it is missing, tool skips the test, but
// fails it in CI, where nobody would notice a skipped test.
func tool(t testing.TB, name string) string {
	t.Helper()
	return scope.Tool(t, name, "ffmpeg")
}

// run starts a tool and returns what it prints.
func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), tool(t, name), append([]string{"-v", "error"}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return out
}

// made returns the path of a file that ffmpeg creates with the arguments.
func made(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	run(t, "ffmpeg", append(args, "-y", path)...)
	return path
}

// A probe holds the streams and packets that ffprobe reports for a file.
type probe struct {
	Streams []struct {
		Kind    string `json:"codec_type"`
		Codec   string `json:"codec_name"`
		Frames  string `json:"nb_read_frames"`
		Width   int    `json:"width"`
		Height  int    `json:"height"`
		Average string `json:"avg_frame_rate"`
	} `json:"streams"`
	Packets []probed `json:"packets"`
	Format  struct {
		Duration string `json:"duration"`
		Name     string `json:"format_name"`
	} `json:"format"`
}

type probed struct {
	Kind  string `json:"codec_type"`
	PTS   string `json:"pts_time"`
	DTS   string `json:"dts_time"`
	Flags string `json:"flags"`
	Hash  string `json:"data_hash"`
}

func seconds(t testing.TB, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatalf("no time: %q", s)
	}
	return f
}

func probeFile(t testing.TB, path string) probe {
	t.Helper()
	var p probe
	out := run(t, "ffprobe", "-count_frames", "-show_streams", "-show_format", "-show_packets", "-show_data_hash", "md5", "-of", "json", path)
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// frames returns the number of frames that ffprobe decodes and shows.
func (p probe) frames(t testing.TB) int {
	t.Helper()
	for _, s := range p.Streams {
		if s.Kind == "video" {
			n, err := strconv.Atoi(s.Frames)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no pictures")
	return 0
}
