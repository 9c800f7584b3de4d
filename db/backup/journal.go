package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dailies/db/folder"
	"dailies/db/signin"
)

// A journal is written into the work folder of a restore once everything is
// unpacked and checked, and remains until everything is in its place. With it, an
// interrupted restore can be completed.
type journal struct {
	Backup string        `json:"backup"` // see Archive.id
	Unsure int           `json:"unsure"` // videos that may have been sent after the backup was made
	Closed signin.Closed `json:"closed"`
}

const journalName = "whole.json"

func (j journal) write(work string) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return folder.Write(filepath.Join(work, journalName), text)
}

// readJournal reads the journal in the folder; ok says whether there is one.
func readJournal(work string) (j journal, ok bool) {
	text, err := os.ReadFile(filepath.Join(work, journalName))
	return j, err == nil && json.Unmarshal(text, &j) == nil
}

// moved lists the names that a restore moves to their places, in order.
var moved = []string{blobs, "sandbox", database}

// resumeInterrupted handles what earlier restores into the folder have left. If a
// restore of this backup was interrupted while moving, it returns that restore's
// work folder and journal. Otherwise it removes all leftovers. It returns an error
// if the folder contains anything that no restore has put there.
func (a *Archive) resumeInterrupted(dir string) (work string, j journal, err error) {
	begun, err := folder.Begun(dir)
	if err != nil {
		return "", j, err
	}
	if len(begun) == 1 {
		if j, ok := readJournal(begun[0]); ok && j.Backup == a.id && onlyMoved(dir, begun) {
			return begun[0], j, nil
		}
	}
	if !onlyMoved(dir, begun) || exists(filepath.Join(dir, database)) {
		return "", j, fmt.Errorf("%s is not empty: a restore needs a folder of its own", dir)
	}
	for _, name := range moved { // before the work folders, which show that these belong to a restore
		begun = append([]string{filepath.Join(dir, name)}, begun...)
	}
	for _, path := range begun {
		if err := os.RemoveAll(path); err != nil {
			return "", j, err
		}
	}
	return "", j, nil
}

// onlyMoved reports whether the folder contains nothing but the lock, secrets, the space
// reserve, and what restores have begun or moved to its place.
func onlyMoved(dir string, begun []string) bool {
	found, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	ours := map[string]bool{"lock": true, "secret": true, "home": true, "reserve": true}
	for _, work := range begun {
		ours[filepath.Base(work)] = true
		_, whole := readJournal(work)
		if !whole && !exists(filepath.Join(work, database)) {
			continue // it had not begun to move anything
		}
		for _, name := range moved {
			if !exists(filepath.Join(work, name)) {
				ours[name] = true
				ours[name+"-wal"], ours[name+"-shm"] = true, true // made by readers of the database
			}
		}
	}
	for _, f := range found {
		if !ours[f.Name()] && !strings.HasPrefix(f.Name(), "secret.old-") {
			return false
		}
	}
	return true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
