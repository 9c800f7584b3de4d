// Package aside keeps the outcomes of create calls in small files while the
// database cannot be written. Nothing else records the ID under which the service
// makes a video, for which it has charged already.
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

// A Note is the outcome of one create call, with the service's answers.
type Note struct {
	Reply   db.Reply
	Answers []db.Answer
}

// A Folder contains the notes, one file per task.
type Folder struct{ dir string }

// In returns the folder at the path. It is created with the first note.
func In(path string) Folder { return Folder{path} }

const (
	ending = ".json"

	// longestAnswer limits the part of each answer that is kept, in bytes, so that
	// a note fits on a disk that is nearly full.
	longestAnswer = 16 << 10

	longestNote = 1 << 20 // limits a note that is read, in bytes
)

// Put writes the note, replacing an older one of its task. When it returns nil, the
// note survives a power cut.
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

// Remove deletes the note of the task. It is not an error if there is none.
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

// All returns all notes. Files that are not valid notes are left in place and
// reported in the error; the valid notes are returned even then.
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
			continue // not completely written
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

// Parse parses a note.
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
