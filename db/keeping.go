package db

import (
	"fmt"
	"time"
)

// Keeping says how far the copying of a finished task's files is.
type Keeping string

const (
	NothingToKeep Keeping = ""       // not finished, or no address was found
	Saving        Keeping = "saving" // not all files are here yet
	Kept          Keeping = "kept"   // every file is here
	Lost          Keeping = "lost"   // the service has it no longer
)

// Keep takes files that were copied into the data folder; whole says that
// nothing is missing any more.
func (t *Task) Keep(files []Media, whole bool) error {
	if err := t.expectKeeping(Saving); err != nil {
		return err
	}
	t.Media = append(t.Media, files...)
	if whole {
		t.Keeping, t.NextAt = Kept, time.Time{}
		t.Message, t.Blame, t.Stumbles = "", NoBlame, 0
	}
	return nil
}

// enoughGone is how many times in a row the service must say that a file is
// gone, after it was asked for fresh addresses, before that is believed: stores
// of files say so for a moment too.
const enoughGone = 5

// Gone records that the service does not give a file out: its link has
// expired. The task is taken up again at next, to ask for fresh addresses or
// to try once more, unless all of that was done: then the files are lost.
func (t *Task) Gone(next time.Time) error {
	if err := t.expectKeeping(Saving); err != nil {
		return err
	}
	if t.Blame != BlameGone {
		t.Stumbles = 0
	}
	if !t.RefreshedAt.IsZero() && t.Stumbles+1 >= enoughGone {
		return t.LoseFiles("The link has expired, and the service gives no other one.")
	}
	return t.Stumble(BlameGone, "The link to the video has expired.", next)
}

// Refreshable reports whether the service is to be asked for fresh addresses
// before the files are tried again.
func (t Task) Refreshable() bool {
	return t.Keeping == Saving && t.Blame == BlameGone && t.RefreshedAt.IsZero()
}

// Refresh takes the addresses that the service gives when it is asked once more
// about a finished task whose links have expired. Fewer videos than before are
// no better ones: then the old addresses are tried again.
func (t *Task) Refresh(fresh []Result, now time.Time) error {
	if err := t.expectKeeping(Saving); err != nil {
		return err
	}
	if n := videos(fresh); n > 0 && n >= videos(t.Results) {
		t.Results = fresh
	}
	t.Asked++
	t.RefreshedAt, t.NextAt, t.Stumbles = now, now, 0
	return nil
}

func videos(results []Result) (n int) {
	for _, r := range results {
		if r.Kind == Video {
			n++
		}
	}
	return n
}

// LoseFiles gives up copying: the service no longer gives the files out.
func (t *Task) LoseFiles(message string) error {
	if err := t.expectKeeping(Saving); err != nil {
		return err
	}
	t.Keeping, t.NextAt = Lost, time.Time{}
	t.Blame, t.Message = BlameService, message
	return nil
}

// KeepAgain begins the copying anew because a person says so.
func (t *Task) KeepAgain(now time.Time) error {
	if err := t.expectKeeping(Lost); err != nil {
		return err
	}
	t.Keeping, t.NextAt, t.RefreshedAt = Saving, now, time.Time{}
	t.Message, t.Blame, t.Stumbles = "", NoBlame, 0
	return nil
}

func (t *Task) expectKeeping(k Keeping) error {
	if t.State != Success || t.Keeping != k {
		return fmt.Errorf("task %d is %s: %w", t.ID, t.State, ErrConflict)
	}
	return nil
}
