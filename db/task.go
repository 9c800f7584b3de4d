package db

import (
	"cmp"
	"time"

	"dailies/db/cast"
	"dailies/db/option"
)

// A Task is one video that somebody requested: what was requested, where it stands,
// what it cost, and when the watcher handles it next. Package aside keeps it in files, in
// which its fields have the names that earlier versions know.
type Task struct {
	ID       int64
	UserID   int64
	UserName string // of the maker; filled in when read
	PayerID  int64  // who pays: the maker, or the person who left the task to the maker; filled in when read
	KeyID    int64  // the team's key that it was sent with; 0 for the payer's own
	// ServiceID is the service that it is sent to, or was. Before it is queued, 0 means
	// the one that the team uses then.
	ServiceID int64
	Practice  bool // that is the embedded service, whose credits are not real; filled in when read
	// FormToken is the one-time token of the form it came from: one person and one
	// token make only one task, however often the button is pressed.
	FormToken string

	Request
	Title string // given by the team; empty for none
	// SentPrompt is what the service gets in place of Prompt, in which handles of the cast
	// stand; empty if both are the same.
	SentPrompt string
	// Cast are the cast members of a task that is added. Those of others are read with
	// video.Cast.Of.
	Cast []cast.Appearance

	State      State
	Status     string    // the service's own word for the state; empty before its first answer
	RemoteID   string    // data.id of API.md, the ID used in queries
	UpstreamID string    // data.taskId of API.md
	Progress   float64   // 0 to 1 if the service reports it, else 0
	Message    string    // why it failed, or why the last attempt did; limited in length
	ErrorKind  ErrorKind `json:"Blame"` // what kind of problem Message describes

	Quoted   Credits // the price shown before the form was sent
	Reserved float64 `json:"Held"` // credits counted against the limits until the charge is known
	Charged  Credits // costCredits of API.md
	Returned Credits // given back after a failure

	CreatedAt  time.Time
	SentAt     time.Time // when the create call began
	AcceptedAt time.Time // when the service accepted it
	MakingAt   time.Time // when making started, as far as queries showed; zero if nobody looked
	DoneAt     time.Time // when it ended, with or without a video
	ReturnedAt time.Time // when the refund was recorded
	DecidedAt  time.Time // when the person chose what to do with it, or saw that it made no video

	Files
	NextAt   time.Time // when the watcher handles it next; zero for never
	Queries  int       `json:"Asked"` // queries that were answered
	Attempts int       // failed attempts in a row

	// Where it came from, and where it belongs.
	ParentID int64  // the task that it was made from; 0 for none
	Reuse    Reuse  // what it took from its parent
	Batch    string // the same for all tasks of one submission; empty for a single task
	Bulk     bool   // it is a row of a table or a line of a list: its maker's single videos are sent first
	RecipeID int64  // 0 for none
	Stack    int64  // the same for all takes of one video: the ID of one of them; 0 for none
	// TakeGroup says, when tasks are queued, which of one submission are takes of one another:
	// those with the same text. It is empty for rows of a table, and not kept.
	TakeGroup string `json:"Twins"`
	// NoteIDs are the notes on the parent that the task answers; known only when it is queued.
	NoteIDs []int64

	Starred   bool      // by the team, like tags and collections
	Private   bool      // only its maker may see it, finished or not
	Tags      []string  // names in alphabetical order; filled in when read
	DeletedAt time.Time // when it was put into the bin
	DeletedBy int64
	PurgedAt  time.Time // when it was erased: only what the usage counts is left
}

// Options hold the values chosen for the model.
type Options = option.Values

// A Result is an address that the service returned for a finished task.
type Result struct {
	Kind MediaKind `json:"kind"`
	URL  string    `json:"url"`
}

// ErrorKind classifies what went wrong, so that the page can say what to do next.
type ErrorKind string

const (
	NoError      ErrorKind = ""
	KeyError     ErrorKind = "key"     // the service refused the API key, or there is none
	CreditsError ErrorKind = "credits" // not enough credits
	ServiceError ErrorKind = "service" // the service could not be reached, or is busy
	LimitError   ErrorKind = "limit"   // a spending limit leaves too little; it was not sent
	RequestError ErrorKind = "request" // the service refused this request, or could not make it
	TaskError    ErrorKind = "task"    // the service does not know the task, or says that it is another key's
	LinkError    ErrorKind = "gone"    // the link to a finished video has expired
	SpaceError   ErrorKind = "space"   // there is no room to keep a finished video
	StorageError ErrorKind = "storage" // the storage for finished videos does not answer
)

// MaxTitle limits the title of a video or of a link, in characters.
const MaxTitle = 120

// Heading returns the words that identify the task to people: its title, or the
// prompt if it has none.
func (t Task) Heading() string { return cmp.Or(t.Title, t.Prompt) }

// Elapsed returns how long the task has been in progress, or how long it took.
func (t Task) Elapsed(now time.Time) time.Duration {
	if !t.DoneAt.IsZero() {
		now = t.DoneAt
	}
	return max(0, now.Sub(t.CreatedAt))
}

// StartedAt returns when making started: when a query first showed it, or when the service
// accepted the task if none has shown it yet. It is zero before that.
func (t Task) StartedAt() time.Time {
	if t.MakingAt.IsZero() {
		return t.AcceptedAt
	}
	return t.MakingAt
}

// An Answer is an answer of the service, word for word. The newest answer is kept
// for each call and each state that it reported.
type Answer struct {
	TaskID int64
	Call   string // "create" or "query"
	Status string // the state that it reported; empty if none
	HTTP   int    // HTTP status
	Body   string
	At     time.Time
}

// VisibleTo reports whether the person may see the task. Its maker may until it is
// purged; everybody else may see a finished video that is neither private nor in
// the bin. This rule holds for every page, file, download, count and link. In SQL
// the same rule is the fragment visible in package store, and its second part the
// column team.
func (t Task) VisibleTo(userID int64) bool {
	return t.UserID == userID && t.PurgedAt.IsZero() || t.Ready() && !t.Private
}

// ListedFor reports whether lists show the task to the person: they may see it, and
// it is not in the bin.
func (t Task) ListedFor(userID int64) bool { return t.DeletedAt.IsZero() && t.VisibleTo(userID) }

// Ready reports whether the video is finished and not in the bin.
func (t Task) Ready() bool {
	return t.State == Success && t.DeletedAt.IsZero() && t.PurgedAt.IsZero()
}

// Playable reports whether the video is finished and its file is kept here.
func (t Task) Playable() bool {
	_, here := t.Video()
	return here && t.Ready()
}

// PlayableFor reports whether the person may play the video, compare it, continue
// from it and share it.
func (t Task) PlayableFor(userID int64) bool { return t.Playable() && t.VisibleTo(userID) }

// BinLife is how long a deleted video stays in the bin.
const BinLife = 30 * 24 * time.Hour

// DeletableBy reports whether the person may move the task into the bin and out of
// it. Its maker may, unless they are a viewer; an admin may if the team sees the
// video.
func (t Task) DeletableBy(u User) bool {
	return u.Makes() && (t.UserID == u.ID || u.IsAdmin() && t.State == Success && !t.Private)
}

// Delete puts the task into the bin. It refuses a task that is running, is being
// copied, or waits for its maker's decision, because that task may have been paid
// for.
func (t *Task) Delete(by int64, now time.Time) error {
	done := !t.State.Running() && t.Keeping != Saving && (t.State != Unconfirmed || !t.DecidedAt.IsZero())
	if err := t.expect(done && t.PurgedAt.IsZero()); err != nil {
		return err
	}
	if t.DeletedAt.IsZero() {
		t.DeletedAt, t.DeletedBy = now, by
	}
	return nil
}

// Restore takes the task out of the bin.
func (t *Task) Restore() error {
	if err := t.expect(t.PurgedAt.IsZero()); err != nil {
		return err
	}
	t.DeletedAt, t.DeletedBy = time.Time{}, 0
	return nil
}

// GoneAt returns when the bin deletes the task for good, or zero if it is not in
// the bin.
func (t Task) GoneAt() time.Time {
	if t.DeletedAt.IsZero() {
		return time.Time{}
	}
	return t.DeletedAt.Add(BinLife)
}

// Purge erases the contents of a task that is in the bin, if it is due or if early
// is set. Its maker, its times, its model and its cost stay, because the team's
// usage counts them.
func (t *Task) Purge(now time.Time, early bool) error {
	if err := t.expect(!t.DeletedAt.IsZero() && (early || !now.Before(t.GoneAt()))); err != nil {
		return err
	}
	t.PurgedAt = now
	t.Prompt, t.SentPrompt, t.Title, t.Message, t.Provider = "", "", "", "", ""
	t.Pictures, t.Results, t.Media = nil, nil, nil
	t.Starred = false
	return nil
}

// A Reuse says what a task took over from the task that it was made from.
type Reuse string

const (
	NoReuse   Reuse = ""
	Copied    Reuse = "everything"
	Reseeded  Reuse = "unseeded" // everything but the seed
	Prompted  Reuse = "prompt"   // only the prompt
	Pictured  Reuse = "pictures" // only the pictures
	Finalized Reuse = "final"    // everything, with the full model after a draft with the fast one
	Continued Reuse = "next"     // the first picture is a frame of the parent: the next scene
	Retried   Reuse = "retry"    // everything, because the parent failed or was lost
	Answered  Reuse = "answer"   // everything, changed as notes on the parent ask for
)

// Reuses returns all values that a form can request.
func Reuses() []Reuse {
	return []Reuse{Copied, Reseeded, Prompted, Pictured, Finalized, Continued, Retried, Answered}
}

// MakesTake reports whether a task that takes this over from its parent is another take of
// it. A next scene is none, and neither is a video that has only the prompt or the pictures.
func (r Reuse) MakesTake() bool {
	switch r {
	case Copied, Reseeded, Finalized, Retried, Answered:
		return true
	}
	return false
}

// Again returns a new task with the settings of this one, which failed or was lost.
// It is private if this one is, and has the same cast as this one.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Request: t.Request, SentPrompt: t.SentPrompt, Cast: t.Cast, State: Queued,
		CreatedAt: now, ParentID: t.ID, Reuse: Retried, RecipeID: t.RecipeID, Private: t.Private,
	}
}

// PriceAgain returns the likely cost of making the task once more: what it was
// charged, or else what was quoted.
func (t Task) PriceAgain() Credits {
	for _, c := range []Credits{t.Charged, t.Quoted} {
		if c.Known && c.Amount > 0 {
			return c
		}
	}
	return Credits{}
}
