package splice_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dailies/web/scopetest"
)

// Films that ffmpeg made are in a folder, under a hash of its arguments, and what it and
// ffprobe say about files of such bytes is in another file. So quick runs need neither: a
// film of ours that differs from the one about which ffmpeg was asked has no answer, and
// fails its test. Whole runs ask again. This makes what is missing, and deletes the rest:
//
//	DAILIES_WRITE_FILMS=1 go test ./db/media/splice
const (
	madeFolder  = "testdata/made"
	answersFile = "testdata/answers.json.gz"
)

var writing = os.Getenv("DAILIES_WRITE_FILMS") != ""

// answers holds the recorded answers, by a hash of what was asked; used are those that
// this run needed, and the names of the films.
var answers = struct {
	sync.Mutex
	known map[string]string
	used  map[string]bool
}{known: map[string]string{}, used: map[string]bool{}}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := readAnswers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if writing && code == 0 {
		if err := writeAnswers(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func readAnswers() error {
	packed, err := os.ReadFile(answersFile)
	if errors.Is(err, os.ErrNotExist) && writing {
		return nil
	}
	if err != nil {
		return err
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	b, err := io.ReadAll(plain)
	return cmp.Or(err, json.Unmarshal(b, &answers.known))
}

// writeAnswers stores the answers and films that were used; in a run of all tests, these
// are all.
func writeAnswers() error {
	if flag.Lookup("test.run").Value.String() == "" {
		maps.DeleteFunc(answers.known, func(key, _ string) bool { return !answers.used[key] })
		films, err := os.ReadDir(madeFolder)
		if err != nil {
			return err
		}
		for _, f := range films {
			if !answers.used[f.Name()] {
				if err := os.Remove(filepath.Join(madeFolder, f.Name())); err != nil {
					return err
				}
			}
		}
	}
	b, err := json.Marshal(answers.known)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return cmp.Or(err, w.Close(), os.WriteFile(answersFile, packed.Bytes(), 0o600))
}

// run starts ffmpeg or ffprobe and returns what it prints.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), scopetest.Tool(t, name, "ffmpeg"), append([]string{"-v", "error"}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}

// ask returns what ffmpeg or ffprobe prints about a file, which is one of the arguments.
func ask(t testing.TB, name, path string, args ...string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(args, path) {
		t.Fatalf("%s is not in %q", path, args)
	}
	question := strings.ReplaceAll(name+" "+strings.Join(args, " "), path, fmt.Sprintf("%x", sha256.Sum256(b)))
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(question)))
	answers.Lock()
	recorded, known := answers.known[key]
	answers.used[key] = true
	answers.Unlock()
	if known && !scopetest.All() && !writing {
		return recorded
	}
	if _, err := exec.LookPath(name); !known && !writing && (scopetest.All() || err != nil) {
		t.Fatalf("what %s says is not recorded: DAILIES_WRITE_FILMS=1 go test ./db/media/splice", question)
	}
	said := strings.ReplaceAll(run(t, name, args...), path, "film")
	if writing {
		answers.Lock()
		answers.known[key] = said
		answers.Unlock()
	}
	return said
}

// made returns the path of a file that ffmpeg makes with the arguments; of several lists,
// each is a pass.
func made(t testing.TB, ext string, passes ...[]string) string {
	t.Helper()
	name := fmt.Sprintf("%.8x.%s", sha256.Sum256(fmt.Append(nil, passes)), ext)
	path := filepath.Join(madeFolder, name)
	answers.Lock()
	defer answers.Unlock()
	answers.used[name] = true
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if !writing {
		t.Fatalf("there is no film of %q: DAILIES_WRITE_FILMS=1 go test ./db/media/splice", passes)
	}
	if err := os.MkdirAll(madeFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "passes")
	for _, args := range passes {
		run(t, "ffmpeg", append(slices.Clone(args), "-passlogfile", log, "-y", path)...)
	}
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
	said := ask(t, "ffprobe", path, "-count_frames", "-show_streams", "-show_format", "-show_packets", "-show_data_hash", "md5", "-of", "json", path)
	if err := json.Unmarshal([]byte(said), &p); err != nil {
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
