package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dailies/db"
	"dailies/db/folder"
)

// A journal lies in the folder in which a restore works once all is there and
// checked, and stays until everything is in its place. With it a restore that
// was interrupted is finished.
type journal struct {
	Backup string    `json:"backup"` // see Archive.id
	Unsure int       `json:"unsure"` // videos that may have been sent since
	Closed db.Closed `json:"closed"`
}

const journalName = "whole.json"

func (j journal) write(work string) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return folder.Write(filepath.Join(work, journalName), text)
}

// readJournal reads the journal of the folder, if there is one.
func readJournal(work string) (j journal, ok bool) {
	text, err := os.ReadFile(filepath.Join(work, journalName))
	return j, err == nil && json.Unmarshal(text, &j) == nil
}

// moved lists the names that a restore moves to their places, in this order.
var moved = []string{blobs, "sandbox", database}

// takeUp looks at what earlier restores into the folder have left. If one of
// this backup had come as far as moving, it returns where it worked, and its
// journal. What else was left is removed; and if then there is anything in the
// folder that a restore did not put there, it is an error.
func (a *Archive) takeUp(dir string) (work string, j journal, err error) {
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
	for _, name := range moved { // before what tells that they are a restore's
		begun = append([]string{filepath.Join(dir, name)}, begun...)
	}
	for _, path := range begun {
		if err := os.RemoveAll(path); err != nil {
			return "", j, err
		}
	}
	return "", j, nil
}

// onlyMoved reports whether the folder holds nothing but the lock, a secret,
// and what a restore has begun or moved to its place.
func onlyMoved(dir string, begun []string) bool {
	found, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	ours := map[string]bool{"lock": true, "secret": true}
	for _, work := range begun {
		ours[filepath.Base(work)] = true
		_, whole := readJournal(work)
		if !whole && !exists(filepath.Join(work, database)) {
			continue // it had not begun to move
		}
		for _, name := range moved {
			if !exists(filepath.Join(work, name)) {
				ours[name] = true
				ours[name+"-wal"], ours[name+"-shm"] = true, true // of whoever read the database
			}
		}
	}
	for _, f := range found {
		if !ours[f.Name()] {
			return false
		}
	}
	return true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
