package gallery

import (
	"slices"
	"strings"
	"time"

	"dailies/db"
)

// UsualShareDays is the default lifetime of a link, in days.
const UsualShareDays = 7

// MaxShares is how many links to one video, collection or storyline can work at the same
// time.
const MaxShares = 50

// ShareDays returns the lifetimes that a link can have, in days.
func ShareDays() []int { return []int{1, 7, 30, 90} }

// A Share is a link that shows one video, one collection or one storyline, and nothing
// else, to people without an account.
type Share struct {
	ID           int64
	Token        string          // known while the link is made or opened; else empty
	Sealed       []byte          // Token, sealed by a secrets.Vault for CreatedBy; empty if it is no longer known
	TaskID       int64           // 0 for a collection
	CollectionID int64           // 0 for a video or a storyline
	Story        bool            // the link shows the storyline of the video TaskID
	Title        string          // empty for none
	May          GuestPermission // what guests may do
	Password     string          // its hash; empty if none is needed
	Download     bool            // guests may download the videos
	Takes        bool            // other takes are shown, too, earlier and new ones
	Welcome      string          // what guests read first; empty for nothing
	// Named says that guests are told who sent the link. Links from before there was this
	// promise tell nobody, until they are changed.
	Named     bool
	CreatedBy int64
	MakerName string // filled in when read
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time // zero unless revoked
	// Video holds those fields of the video TaskID that Shows and RevocableBy need;
	// filled in when read.
	Video db.Task
}

// MaxWelcome limits the Welcome of a link, in characters.
const MaxWelcome = 200

// Limits of the password of a link, in characters.
const (
	MinSharePassword = 6
	MaxSharePassword = 200
)

// A GuestPermission says what a guest of a link may see and do. Which notes they see is
// review.Note.ShownTo.
type GuestPermission string

// What guests may do: each includes what comes before it.
const (
	Look   GuestPermission = "look"   // watch
	Talk   GuestPermission = "talk"   // write notes, too
	Decide GuestPermission = "decide" // approve or ask for changes, too
)

// GuestPermissions returns all values, the least first.
func GuestPermissions() []GuestPermission { return []GuestPermission{Look, Talk, Decide} }

// Allows reports whether guests with the right m may do what needs the right other.
func (m GuestPermission) Allows(other GuestPermission) bool {
	has, needs := slices.Index(GuestPermissions(), m), slices.Index(GuestPermissions(), other)
	return has >= 0 && needs >= 0 && needs <= has
}

// LinkTarget says what links show.
type LinkTarget int

// What links can show.
const (
	OfVideo LinkTarget = iota
	OfCollection
	OfStory
)

// Target returns what the link shows.
func (s Share) Target() LinkTarget {
	switch {
	case s.Story:
		return OfStory
	case s.CollectionID != 0:
		return OfCollection
	}
	return OfVideo
}

// Open reports whether the link works now.
func (s Share) Open(now time.Time) bool { return s.RevokedAt.IsZero() && now.Before(s.ExpiresAt) }

// Shows reports whether the link shows the video now. The caller must know that the
// video is the link's own, or in its collection or storyline.
//
// Shows is called for every request, so that a link never shows more than its maker
// may see. No link shows a video in the bin, until it is restored. A video that
// became private is shown only by a link to this one video that its own maker made:
// links by colleagues and links to collections and storylines do not show it.
func (s Share) Shows(t db.Task, now time.Time) bool {
	if !s.Open(now) || !t.Ready() {
		return false
	}
	return !t.Private || !s.Story && s.TaskID == t.ID && s.CreatedBy == t.UserID
}

// ShowsTake reports whether the link, to which the video belongs, shows another take of it
// now: if the link shows other takes or the team has picked this one. A private take is shown
// only by a link to this one video that its own maker made, and only if the video is private
// as well or the take was picked.
func (s Share) ShowsTake(take, video db.Task, picked bool, now time.Time) bool {
	if !s.Takes && !picked || take.Stack == 0 || take.Stack != video.Stack || !s.Shows(video, now) || !take.Ready() {
		return false
	}
	return !take.Private || !s.Story && s.TaskID == video.ID && s.CreatedBy == take.UserID && (video.Private || picked)
}

// Takes are those of one video that a link shows, the oldest first.
type Takes struct {
	Tasks []db.Task
	First int // the index of the one with which a visit begins: what is new on the link
}

// PerCollection is the number of videos with which the page of a collection begins, and of
// those that each request for more returns: on the page of the team, and on a guest's link.
const PerCollection = 48

// An Opening says which part of a collection a guest opens. Of its fields, the first one that
// names a video of the link, or a take of one, counts; without one it is the beginning.
type Opening struct {
	File  int64 // the part with the video of this file
	Task  int64 // the part with this video
	After int64 // what comes after this video
}

// Shown has the videos of a link. A storyline is loaded whole; of a collection, only the part
// that is opened is loaded, and of its other videos their IDs and files are known.
type Shown struct {
	IDs   []int64 // of all videos, in their order
	From  int     // how many of them come before Tasks
	Tasks []db.Task
	Files []ShownFile // of a collection: the file of each video, and of each take beside one
}

// Last returns the ID of the video of the link with which Tasks ends, if others come after it,
// and otherwise 0.
func (s Shown) Last() int64 {
	if end := s.From + len(s.Tasks); len(s.Tasks) > 0 && end < len(s.IDs) {
		return s.IDs[end-1]
	}
	return 0
}

// A ShownFile is the file that a link shows for a video. It changes when another file takes its
// place, so that an open page notices.
type ShownFile struct {
	TaskID, MediaID int64
	Hash            string
	Of              int64 // the video of which it is a take that stands beside it; 0 for a video of the link
}

// RevocableBy reports whether the person may revoke the link. Its maker, the maker
// of its video and admins may, but viewers may not.
func (s Share) RevocableBy(u db.User) bool {
	return u.Makes() && (s.CreatedBy == u.ID || s.TaskID != 0 && s.Video.UserID == u.ID || u.IsAdmin())
}

// BeginsPrompt reports whether the title is only the beginning of the prompt,
// possibly with an ellipsis at the end. An earlier version proposed such titles.
func BeginsPrompt(title, prompt string) bool {
	words := strings.Join(strings.Fields(prompt), " ")
	title = strings.Join(strings.Fields(title), " ")
	title = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(title, "…"), "..."))
	return title != "" && strings.HasPrefix(words, title)
}
