package db

import (
	"strings"
	"time"
)

// UsualShareDays is how many days a link works where nobody says otherwise.
const UsualShareDays = 7

// ShareDays returns the numbers of days that a link can work.
func ShareDays() []int { return []int{1, 7, 30, 90} }

// A Share is a link with which somebody without an account sees one video or
// one collection, and nothing else.
type Share struct {
	ID           int64
	Token        string // known while it is made, and to whoever opens the link; else empty
	Sealed       []byte // Token, by a Vault, for CreatedBy; empty where it is not known any more
	TaskID       int64  // 0 for a collection
	CollectionID int64  // 0 for a video
	Title        string // empty for none
	CreatedBy    int64
	MakerName    string // filled in when read
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    time.Time // zero while it was not taken back
	// Video is what Shows and RevocableBy ask about the video of TaskID, and
	// nothing more; filled in when read.
	Video Task
}

// Open reports whether the link works now.
func (s Share) Open(now time.Time) bool { return s.RevokedAt.IsZero() && now.Before(s.ExpiresAt) }

// Shows reports whether who has the link sees the video now; that it is the one
// of the link, or in its collection, is for the caller to know.
//
// It is asked anew each time, so that a link never shows more than its maker
// could see themselves: a video in the bin is shown by no link, until it is
// restored. One that became private is shown only by links that its own maker
// made for it alone: neither a colleague nor a collection of the whole team
// gives it away.
func (s Share) Shows(t Task, now time.Time) bool {
	if !s.Open(now) || !t.Ready() {
		return false
	}
	return !t.Private || s.TaskID == t.ID && s.CreatedBy == t.UserID
}

// RevocableBy reports whether the person may take the link back: who made it,
// who made its video, and admins; viewers do not.
func (s Share) RevocableBy(u User) bool {
	return u.Makes() && (s.CreatedBy == u.ID || s.TaskID != 0 && s.Video.UserID == u.ID || u.IsAdmin())
}

// BeginsPrompt reports whether the title is no more than the beginning of the
// prompt, as it was once proposed: cut, and with an ellipsis where it was cut.
func BeginsPrompt(title, prompt string) bool {
	words := strings.Join(strings.Fields(prompt), " ")
	title = strings.Join(strings.Fields(title), " ")
	title = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(title, "…"), "..."))
	return title != "" && strings.HasPrefix(words, title)
}
