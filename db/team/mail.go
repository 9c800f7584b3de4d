package team

import (
	"time"

	"dailies/db"
)

// A Mail waits to be sent to one person, or is over.
type Mail struct {
	ID      int64
	Name    string // what its recipient's program knows it by, the same for every try
	Kind    MailKind
	UserID  int64  // of the account; 0 for whoever has the address
	Address string // where there is no account; otherwise that of the account
	Person  string // the account's name; empty without one
	// Topic lets one mail wait at a time: another one of the same topic is a change of
	// the first. An empty one has any number.
	Topic     string
	Details   MailDetails
	Sealed    []byte // the token of its link, by db.Vault.SealMail
	Changes   int    // of what it tells, since it was added
	Tries     int
	Problem   string // what went wrong last
	CreatedAt time.Time
	Until     time.Time // when it is given up
	TriedAt   time.Time
	NextAt    time.Time // when it is tried next; zero for never
	SentAt    time.Time
}

// MailDetails are what the sentences of a mail are made of. They hold no secret.
type MailDetails struct {
	By       string  `json:"by,omitempty"`       // who invites, asks or answers
	Batch    string  `json:"batch,omitempty"`    // of the videos of one press
	TaskID   int64   `json:"task,omitempty"`     // of a single video
	Credits  float64 `json:"credits,omitempty"`  // that are asked for
	Sentence string  `json:"sentence,omitempty"` // why they are asked for, or how that is answered
	Answer   string  `json:"answer,omitempty"`   // "once", "month", "always" or "no"
	Percent  int     `json:"percent,omitempty"`  // of a limit that is reached
	Team     bool    `json:"team,omitempty"`     // that limit is the team's
	From     string  `json:"from,omitempty"`     // the network address of whoever has forgotten a password, or changed how one signs in
	Action   Action  `json:"action,omitempty"`   // what changed of how the person signs in
	Alone    bool    `json:"alone,omitempty"`    // it was done with the password alone: see PasswordAlone
}

// A MailKind says what a mail is about.
type MailKind string

// The kinds of mail. Those from MailVideos on are sent to people who want them.
const (
	MailInvite   MailKind = "invite"   // a join link
	MailForgot   MailKind = "forgot"   // somebody has asked for a new password; becomes a MailReset if there is an account
	MailReset    MailKind = "reset"    // a link that sets a new password
	MailTest     MailKind = "test"     // whether mails arrive
	MailSigning  MailKind = "signing"  // how the person signs in was changed
	MailVideos   MailKind = "videos"   // the videos of one press have ended
	MailAsked    MailKind = "asked"    // somebody asks to spend more
	MailAnswered MailKind = "answered" // what became of that
	MailLimit    MailKind = "limit"    // a limit is nearly, or wholly, reached
)

// Notice returns what people choose to be told by mails of the kind; empty where
// nobody is asked.
func (k MailKind) Notice() Notice {
	switch k {
	case MailAsked, MailAnswered:
		return NoticeAsked
	case MailLimit:
		return NoticeLimit
	}
	return ""
}

// A Notice is what a person may want to be told by mail.
type Notice string

// What a person may want to be told. That videos are ready and that some have failed
// are two choices about one mail.
const (
	NoticeReady  Notice = "ready"
	NoticeFailed Notice = "failed"
	NoticeAsked  Notice = "asked"
	NoticeLimit  Notice = "limit"
)

// Notices lists them in the order in which they are offered.
func Notices() []Notice { return []Notice{NoticeReady, NoticeFailed, NoticeAsked, NoticeLimit} }

// IsStandard reports whether people who have not chosen are told. A colleague who
// asks waits for an answer, so that is told; everything else only on request.
func (n Notice) IsStandard() bool { return n == NoticeAsked }

// MailLife is how long a mail is tried, unless what it says ends earlier.
const MailLife = 3 * 24 * time.Hour

// NewMail returns a mail to the person, which is to be sent at once.
func NewMail(kind MailKind, userID int64, now time.Time) Mail {
	m := Mail{Name: db.NewToken(), Kind: kind, UserID: userID, CreatedAt: now, NextAt: now, Until: now.Add(MailLife)}
	if kind == MailReset || kind == MailForgot {
		m.Until = now.Add(db.ResetLife)
	}
	return m
}

// The pauses between the tries of a mail.
const (
	firstMailPause   = 30 * time.Second
	longestMailPause = 2 * time.Hour
)

// Fail records a try that did not work: final says that another one is of no use.
func (m *Mail) Fail(problem string, final bool, now time.Time) {
	m.Tries++
	m.Problem, m.TriedAt = problem, now
	pause := longestMailPause
	if n := m.Tries - 1; n < 8 {
		pause = min(pause, firstMailPause<<n)
	}
	if m.NextAt = now.Add(pause); final || m.NextAt.After(m.Until) {
		m.NextAt = time.Time{}
	}
}

// Sent records that the mail was handed over.
func (m *Mail) Sent(now time.Time) {
	m.Tries++
	m.Problem, m.TriedAt, m.SentAt, m.NextAt = "", now, now, time.Time{}
}

// Ended counts the videos of one press by what became of them.
type Ended struct {
	Running, Ready, Failed, Unsure int
	TaskID                         int64  // one of them
	Title                          string // of that, if it has one
}

// All returns how many videos there are.
func (e Ended) All() int { return e.Running + e.Ready + e.Failed + e.Unsure }

// Wanted reports whether somebody who wants the notices is told of them.
func (e Ended) Wanted(notices map[Notice]bool) bool {
	return notices[NoticeReady] && e.Ready > 0 || notices[NoticeFailed] && e.Failed+e.Unsure > 0
}
