// Package aside keeps the outcomes of create calls in small files, for the time
// in which the database takes no writes: nothing else knows the id under which
// the service made, and charged for, a video.
package aside

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dailies/db"
	"dailies/db/folder"
)

// A Note is one outcome with what the service answered.
type Note struct {
	Reply   db.Reply
	Answers []db.Answer
}

// A Folder holds the notes, one file for each task.
type Folder struct{ dir string }

// In returns the folder at the path. It is made when the first note is put.
func In(path string) Folder { return Folder{path} }

const (
	ending = ".json"

	// longestAnswer is how much of each answer is noted, so that a note finds
	// room on a disk that is nearly full.
	longestAnswer = 16 << 10

	longestNote = 1 << 20 // bytes of a note that is read
)

// Put writes the note in place of an older one of its task. When it returns
// without an error, the note survives a power cut.
func (f Folder) Put(n Note) error {
	if err := f.put(n); err != nil {
		return fmt.Errorf("note of task %d: %w", n.Reply.TaskID, err)
	}
	return nil
}

func (f Folder) put(n Note) error {
	answers := make([]db.Answer, len(n.Answers))
	for i, a := range n.Answers {
		if len(a.Body) > longestAnswer {
			a.Body = strings.ToValidUTF8(a.Body[:longestAnswer], "")
		}
		answers[i] = a
	}
	n.Answers = answers
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := folder.Make(f.dir); err != nil {
		return err
	}
	return folder.Write(f.path(n.Reply.TaskID), text)
}

// Remove takes the note of the task away. It is no error if there is none.
func (f Folder) Remove(taskID int64) error {
	err := os.Remove(f.path(taskID))
	if err == nil {
		err = folder.Sync(f.dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// All returns the notes. Files that are no notes are left where they are, and
// told of in the error; the notes beside them are returned all the same.
func (f Folder) All() ([]Note, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var notes []Note
	var odd error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ending) {
			continue // not written to its end
		}
		n, err := read(filepath.Join(f.dir, e.Name()))
		if err != nil {
			odd = errors.Join(odd, fmt.Errorf("note %s: %w", e.Name(), err))
			continue
		}
		notes = append(notes, n)
	}
	return notes, odd
}

func read(path string) (Note, error) {
	file, err := os.Open(path)
	if err != nil {
		return Note{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longestNote+1))
	if err != nil {
		return Note{}, err
	}
	return Parse(text)
}

// Parse reads a note.
func Parse(text []byte) (Note, error) {
	var n Note
	if len(text) > longestNote {
		return n, errors.New("it is too long")
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("it cannot be read: %w", err)
	}
	if n.Reply.TaskID <= 0 || n.Reply.SentAt.IsZero() {
		return n, errors.New("it names no task")
	}
	return n, nil
}

func (f Folder) path(taskID int64) string {
	return filepath.Join(f.dir, fmt.Sprint(taskID)+ending)
}
