package watch_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/db/team"
)

// served notes the videos that the service delivers.
type served struct {
	mu    sync.Mutex
	files map[string][]byte // by SHA-256, in hex
}

func (s *served) note(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	resp, err := through()
	if err != nil || resp.Header.Get("Content-Type") != "video/webm" {
		return resp, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[hex.EncodeToString(sum[:])] = b
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

const producer = "001191440300708461136T1XGW3"

func TestNewVideosGetTheLabelOfTheTeam(t *testing.T) {
	b := newBench(t)
	came := &served{files: map[string][]byte{}}
	b.line.setAlways(came.note)
	b.start(t)
	earlier := b.until(t, b.add(t, "a boat"), "kept", kept)
	plain, _ := earlier.Video()
	if plain.ServedHash != "" || plain.Marks != db.NoMarks || came.files[plain.Hash] == nil {
		t.Errorf("without a code, %+v was kept", plain)
	}

	must(t, b.store.Settings.SetLabels(t.Context(), team.Labels{Producer: producer}))
	id := b.add(t, "a second boat")
	task := b.until(t, id, "kept", kept)
	m, _ := task.Video()
	was := came.files[m.ServedHash]
	if was == nil || m.Marks != db.LabelMark || m.Hash == m.ServedHash {
		t.Fatalf("kept is %+v", m)
	}
	path := filepath.Join(b.dir, "media", media.Path(m.Hash))
	is, err := os.ReadFile(path)
	must(t, err)
	if sum := sha256.Sum256(is); hex.EncodeToString(sum[:]) != m.Hash || int64(len(is)) != m.Size {
		t.Errorf("%d bytes are stored, and %d are recorded", len(is), m.Size)
	}
	label := team.Labels{Producer: producer}.Label(fmt.Sprintf("%d-%s", id, m.ServedHash[:16]))
	if !bytes.Contains(is, []byte(label)) || !strings.HasPrefix(label, `{"Label":"1","ContentProducer":"`+producer+`","ProduceID":"`) {
		t.Errorf("the file does not say %s", label)
	}
	before, err := splice.Read(bytes.NewReader(was), int64(len(was)))
	must(t, err)
	after, err := splice.Read(bytes.NewReader(is), m.Size)
	must(t, err)
	if before.Frames() != after.Frames() || before.Length() != after.Length() {
		t.Errorf("%d frames became %d", before.Frames(), after.Frames())
	}
	if now, _ := b.until(t, earlier.ID, "kept", kept).Video(); now != plain {
		t.Errorf("the earlier video became %+v", now)
	}

	// Whenever saving begins again, it stores the same bytes.
	must(t, os.Remove(path))
	_, err = b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		t.Media[0].LostAt, t.Keeping, t.NextAt = db.Now(), db.Saving, db.Now()
		return nil
	})
	must(t, err)
	b.wake()
	again, _ := b.until(t, id, "kept again", kept).Video()
	if again.Hash != m.Hash || again.ServedHash != m.ServedHash || again.ID != m.ID || again.Marks != db.LabelMark {
		t.Errorf("saved again, it is %+v, not %+v", again, m)
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, "media", "begun-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	must(t, media.At(b.dir+"/media").Verify(t.Context(), m.Hash, m.Size)) // as a backup and a check do
}

// Whatever cannot be labelled is saved as it came.
func TestAVideoThatCannotBeLabelledStaysAsItCame(t *testing.T) {
	b := newBench(t)
	must(t, b.store.Settings.SetLabels(t.Context(), team.Labels{Producer: producer}))
	signed, err := os.ReadFile("../../db/media/splice/testdata/plain.mp4")
	must(t, err)
	signed = append(signed, "\x00\x00\x00\x1cuuid\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81\x00\x00\x00\x00"...)
	b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, ".webm") {
			return says(200, string(signed))(r, through)
		}
		return through()
	})
	b.start(t)
	m, _ := b.until(t, b.add(t, "a boat"), "kept", kept).Video()
	if sum := sha256.Sum256(signed); m.Hash != hex.EncodeToString(sum[:]) || m.ServedHash != "" || m.Marks != db.CredentialsMark {
		t.Errorf("kept is %+v", m)
	}
}
