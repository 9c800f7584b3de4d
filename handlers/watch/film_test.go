package watch_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/handlers/watch"
)

// filmOf returns one of the small films that package splice is tested with.
func filmOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../db/media/splice/testdata/" + name)
	must(t, err)
	return b
}

// cutToFit returns the first part of an MP4 file, of which the last box is said to end there.
func cutToFit(b []byte, size int) []byte {
	b = bytes.Clone(b[:size])
	for at := 0; ; {
		length := int(binary.BigEndian.Uint32(b[at:]))
		if at+length >= size {
			binary.BigEndian.PutUint32(b[at:], uint32(size-at))
			return b
		}
		at += length
	}
}

// serves answers calls for a path below /files/ with the file of that name.
func (b *bench) serves(files map[string]string) {
	b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		body, known := files[strings.TrimPrefix(r.URL.Path, "/files/")]
		switch {
		case known:
			return says(200, body)(r, through)
		case r.URL.Path == ask:
			return says(200, `{"code":0,"data":{"status":"success","taskInfo":"{}"}}`)(r, through)
		}
		return through()
	})
}

// All files are fetched by one watcher, each for a video of its own.
func TestWhatIsKeptOfEachKindOfFile(t *testing.T) {
	plain, fragments := filmOf(t, "plain24.mp4"), filmOf(t, "fragments24.mp4")
	cases := []struct {
		name, body string
		want       db.Keeping
		kind       string // of a file that is kept
		message    string // of one that is not
		common     bool
	}{
		{"H.264", string(plain), db.Kept, "video/mp4", "", true},
		{"H.264 in fragments", string(fragments), db.Kept, "video/mp4", "", true},
		{"H.264 with 10 bits", string(filmOf(t, "h264-10bit.mp4")), db.Kept, "video/mp4", "", true},
		{"rotated", string(filmOf(t, "rotated.mp4")), db.Kept, "video/mp4", "", true},
		{"a variable frame rate", string(filmOf(t, "vfr.mp4")), db.Kept, "video/mp4", "", true},
		{"an edit list", string(filmOf(t, "edit-list.mp4")), db.Kept, "video/mp4", "", true},
		{"AV1", string(filmOf(t, "av1.mp4")), db.Kept, "video/mp4", "", true},
		{"VP9", string(filmOf(t, "vp9.webm")), db.Kept, "video/webm", "", true},
		{"VP8 of a live recording", string(filmOf(t, "live.webm")), db.Kept, "video/webm", "", true},
		{"QuickTime", string(filmOf(t, "h264-pcm.mov")), db.Kept, "video/quicktime", "", true},
		{"HEVC with sound", string(filmOf(t, "hevc-sound.mp4")), db.Kept, "video/mp4", "", false},
		{"HEVC with 10 bits", string(filmOf(t, "hevc-10bit.mp4")), db.Kept, "video/mp4", "", false},
		{"ProRes", string(filmOf(t, "prores.mov")), db.Kept, "video/quicktime", "", false},
		{"an MP4 file without pictures", string(filmOf(t, "sound-only.mp4")), db.Kept, "video/mp4", "", false},
		{"MKV", string(filmOf(t, "h264.mkv")), db.Kept, "video/x-matroska", "", false},
		{"TS", string(filmOf(t, "h264.ts")), db.Kept, "video/mp2t", "", false},

		{"GIF", string(filmOf(t, "short.gif")), db.Lost, "", "A GIF came, not a video.", false},
		{"M4A", string(filmOf(t, "sound-only.m4a")), db.Lost, "", "Only sound came, no video.", false},
		{"MP3", string(filmOf(t, "sound.mp3")), db.Lost, "", "Only sound came, no video.", false},
		{"HLS", "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:5,\n0.ts\n", db.Lost, "", "A playlist came, not a video.", false},
		{"a picture", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 600), db.Lost, "", "A picture came, not a video.", false},
		{"an archive", "PK\x03\x04" + strings.Repeat("\x00", 600), db.Lost, "", "A ZIP file came, not a video.", false},
		{"a web page", html, db.Lost, "", "A web page came, not a video.", false},
		{"JSON", `{"detail":"not ready"}`, db.Lost, "", "Text came, not a video.", false},

		{"broken off at an eighth", string(plain[:len(plain)/8]), db.Saving, "", db.BrokenOff, false},
		{"broken off near its end", string(plain[:len(plain)-1]), db.Saving, "", db.BrokenOff, false},
		{"cut to fit", string(cutToFit(plain, len(plain)*7/8)), db.Saving, "", db.BrokenOff, false},
		{"a fragment cut to fit", string(cutToFit(fragments, 4000)), db.Saving, "", db.BrokenOff, false},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		files := map[string]string{}
		ids := make([]int64, len(cases))
		for i, c := range cases {
			name := fmt.Sprint(i)
			files[name] = c.body
			ids[i] = b.finished(t, 1, base+"/files/"+name)
		}
		b.serves(files)
		var log lockedBuffer
		defer b.start(t, func(c *watch.Config) { c.Poll, c.Log = 3*time.Second, slog.New(slog.NewTextHandler(&log, nil)) })()
		time.Sleep(30 * time.Minute)
		for i, c := range cases {
			task, err := b.store.Tasks.Task(t.Context(), ids[i])
			must(t, err)
			if task.Keeping != c.want || task.Message != c.message {
				t.Errorf("%s: %s, %q, attempt %d", c.name, task.Keeping, task.Message, task.Attempts)
				continue
			}
			if n := strings.Count(log.String(), fmt.Sprintf(`"could not copy a file yet" task=%d `, ids[i])); c.want == db.Lost && (n == 0 || n > 30) {
				t.Errorf("%s: %d lines in the log", c.name, n)
			}
			if c.want != db.Kept {
				if len(task.Media) != 0 {
					t.Errorf("%s: stored is %+v", c.name, task.Media)
				}
				continue
			}
			m, _ := task.Video()
			if m.Type != c.kind || !m.Film.Read || m.Film.Cut || m.Film.Format == "" || m.Film.IsCommon() != c.common {
				t.Errorf("%s: it is %s with %+v", c.name, m.Type, m.Film)
			}
		}
	})
}

// A broken-off file is fetched again, and kept as soon as it is whole, however often it was
// not before.
func TestABrokenOffFilmIsNeverKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		plain := string(filmOf(t, "plain24.mp4"))
		b.serves(map[string]string{"result": string(cutToFit([]byte(plain), 2000))})
		id := b.finished(t, 1, base+"/files/result")
		defer b.start(t, func(c *watch.Config) { c.Poll = 15 * time.Second })()
		time.Sleep(2 * time.Hour)
		task, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		if task.Keeping != db.Saving || task.Attempts < 20 {
			t.Errorf("%s after %d attempts", task.Keeping, task.Attempts)
		}
		b.serves(map[string]string{"result": plain})
		time.Sleep(15 * time.Minute)
		if task, err = b.store.Tasks.Task(t.Context(), id); err != nil || !kept(task) || task.Message != "" {
			t.Errorf("%s, %q, %v", task.Keeping, task.Message, err)
		}
	})
}

func TestAGIFBesideAVideoChangesNothing(t *testing.T) {
	for _, order := range [][]string{{"result", "preview"}, {"preview", "result"}, {"preview", "result", "preview2"}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				gif := string(filmOf(t, "short.gif"))
				b.serves(map[string]string{"result": string(filmOf(t, "plain24.mp4")), "preview": gif, "preview2": gif})
				var addresses []string
				for _, name := range order {
					addresses = append(addresses, base+"/files/"+name)
				}
				id := b.finished(t, 1, addresses...)
				defer b.start(t)()
				time.Sleep(10 * time.Minute)
				task, err := b.store.Tasks.Task(t.Context(), id)
				must(t, err)
				if !kept(task) || len(task.Media) != 1 || task.Media[0].Type != "video/mp4" || len(task.Wanted()) != 0 {
					t.Errorf("%s, %q, %+v", task.Keeping, task.Message, task.Results)
				}
			})
		})
	}
}

// keepUnread stores a film as an earlier version does, and returns the ID of its task.
func (b *bench) keepUnread(t *testing.T, files *media.Store, name string, body []byte) int64 {
	t.Helper()
	hash, size, err := files.Put(t.Context(), bytes.NewReader(body), 1<<20)
	must(t, err)
	id := b.finished(t, 1, base+"/files/"+name)
	_, err = b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: hash, Size: size, Type: "video/mp4", CreatedAt: db.Now()}}, true)
	})
	must(t, err)
	return id
}

// Films that an earlier version has stored are read in the background, and so are those of
// which reading did not end.
func TestEarlierFilmsAreReadInTheBackground(t *testing.T) {
	b := newBench(t)
	files, err := media.Open(b.dir + "/media")
	must(t, err)
	films := watch.NewFilms(b.store, files, slog.New(slog.DiscardHandler))
	ids := map[string]int64{}
	plain := filmOf(t, "plain24.mp4")
	for name, body := range map[string][]byte{"hevc": filmOf(t, "hevc-sound.mp4"), "cut": cutToFit(plain, 2000), "odd": []byte("no video at all")} {
		ids[name] = b.keepUnread(t, files, name, body)
	}
	for range ids {
		if read, err := films.Step(t.Context()); !read || err != nil {
			t.Fatalf("read is %v, %v", read, err)
		}
	}
	if read, err := films.Step(t.Context()); read || err != nil {
		t.Errorf("another one was read: %v", err)
	}
	of := func(name string) db.Film {
		task, err := b.store.Tasks.Task(t.Context(), ids[name])
		must(t, err)
		return task.Media[0].Film
	}
	if f := of("hevc"); f.IsCommon() || f.Video != "hvc1.1.6.L30.90" || f.Frames != 24 || f.Length != 1021 && f.Length < 990 {
		t.Errorf("HEVC is %+v", f)
	}
	if f := of("cut"); !f.Cut || f.IsCommon() {
		t.Errorf("the broken-off one is %+v", f)
	}
	if f := of("odd"); !f.Read || f.Format != "" || !f.IsCommon() {
		t.Errorf("the odd one is %+v", f)
	}
}
