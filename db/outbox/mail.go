// Package outbox defines what is sent to people and to their programs: mails, and
// deliveries to webhooks.
package outbox

import (
	"time"

	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
)

// A Mail is an e-mail to one person that waits to be sent, was sent, or was given
// up.
type Mail struct {
	ID      int64
	Name    string // identifies the mail to mail programs; the same for every attempt
	Kind    MailKind
	UserID  int64  // of the account; 0 if the mail is for an address
	Address string // if there is no account, the mail's address; otherwise the account's
	Person  string // the account's name; empty if there is none
	// Topic identifies what the mail is about. While a mail waits, another one with
	// the same topic changes it instead of being added. An empty topic never
	// matches.
	Topic     string
	Details   MailDetails
	Sealed    []byte // the token of its link, sealed by secrets.Vault.SealMail
	Changes   int    // changes of its topic since it was added
	Tries     int
	Problem   string // what went wrong last
	CreatedAt time.Time
	Until     time.Time // when it is given up
	TriedAt   time.Time
	NextAt    time.Time // when it is next attempted; zero for never
	SentAt    time.Time
}

// MailDetails are the values in the sentences of a mail. They contain no secret.
type MailDetails struct {
	By       string       `json:"by,omitempty"`       // name of the person who invites, asks or answers
	Batch    string       `json:"batch,omitempty"`    // of the videos of one submission
	TaskID   int64        `json:"task,omitempty"`     // of a single video
	Credits  float64      `json:"credits,omitempty"`  // that were asked for
	Sentence string       `json:"sentence,omitempty"` // the reason for asking, or for the answer
	Answer   string       `json:"answer,omitempty"`   // "once", "month", "always" or "no"
	Percent  int          `json:"percent,omitempty"`  // of a limit that was reached
	Team     bool         `json:"team,omitempty"`     // whether that limit is the team's
	From     string       `json:"from,omitempty"`     // the network address from which the new password, or the change, was requested
	Action   audit.Action `json:"action,omitempty"`   // which change was made to how the person signs in
	Alone    bool         `json:"alone,omitempty"`    // the change needed only the password: see audit.PasswordAlone
	GuestID  int64        `json:"guest,omitempty"`    // ID of the review.Subscription of a guest
	Host     string       `json:"host,omitempty"`     // of a webhook
	Webhook  int64        `json:"webhook,omitempty"`  // its ID
}

// A MailKind says what a mail is about.
type MailKind string

// The kinds of mail. Those from MailVideos on are sent only to people who want
// them.
const (
	MailInvite   MailKind = "invite"   // a join link
	MailForgot   MailKind = "forgot"   // somebody requested a new password; becomes a MailReset if there is an account
	MailReset    MailKind = "reset"    // a link that sets a new password
	MailTest     MailKind = "test"     // a test whether mails arrive
	MailSigning  MailKind = "signing"  // a change of how the person signs in
	MailWebhook  MailKind = "webhook"  // a webhook that is paused
	MailFormat   MailKind = "format"   // a webhook that an upgrade has turned off, because of its format
	MailMaker    MailKind = "maker"    // a webhook of the team whose maker has left
	MailVideos   MailKind = "videos"   // the end of the videos of one submission
	MailAsked    MailKind = "asked"    // somebody's request to spend more
	MailAnswered MailKind = "answered" // the answer to such a request
	MailLimit    MailKind = "limit"    // a limit that is nearly or fully reached
	MailNews     MailKind = "news"     // notes and answers of guests that the person has not seen
)

// The kinds of mail to guests of a link.
const (
	MailConfirm MailKind = "confirm" // asks whether the guest's address is right
	MailReplies MailKind = "replies" // replies to what the guest wrote
	MailTake    MailKind = "take"    // a new take on the guest's link
)

// Notice returns the choice that decides whether a person gets mails of the kind;
// empty if there is no single choice.
func (k MailKind) Notice() Notice {
	switch k {
	case MailAsked, MailAnswered:
		return NoticeAsked
	case MailLimit:
		return NoticeLimit
	}
	return ""
}

// A Notice is a kind of news that people can choose to get by mail.
type Notice string

// The notices. Ready and failed videos are two choices about the same mail, and so are
// answers of guests and notes.
const (
	NoticeReady  Notice = "ready"
	NoticeFailed Notice = "failed"
	NoticeAnswer Notice = "answer"
	NoticeNotes  Notice = "notes"
	NoticeAsked  Notice = "asked"
	NoticeLimit  Notice = "limit"
)

// Notices lists the notices in the order in which they are offered.
func Notices() []Notice {
	return []Notice{NoticeReady, NoticeFailed, NoticeAnswer, NoticeNotes, NoticeAsked, NoticeLimit}
}

// IsStandard reports whether people who have not chosen get the notice. On by default is
// only what waits for somebody: requests of colleagues, answers of guests, and notes.
func (n Notice) IsStandard() bool {
	return n == NoticeAsked || n == NoticeAnswer || n == NoticeNotes
}

// Limits of the mails to the address of a guest, over all links.
const (
	MostToGuest   = 3
	ToGuestWithin = time.Hour
)

// MailLife is how long a mail is attempted, unless its contents expire earlier.
const MailLife = 3 * 24 * time.Hour

// NewMail returns a mail to the person that is due at once.
func NewMail(kind MailKind, userID int64, now time.Time) Mail {
	m := Mail{Name: secrets.NewToken(), Kind: kind, UserID: userID, CreatedAt: now, NextAt: now, Until: now.Add(MailLife)}
	if kind == MailReset || kind == MailForgot {
		m.Until = now.Add(signin.ResetLife)
	}
	return m
}

// The pauses between the attempts to send a mail.
const (
	firstMailPause   = 30 * time.Second
	longestMailPause = 2 * time.Hour
)

// Fail records a failed attempt. Final says that another attempt would be useless.
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

// Sent records that the mail was delivered to the mail server.
func (m *Mail) Sent(now time.Time) {
	m.Tries++
	m.Problem, m.TriedAt, m.SentAt, m.NextAt = "", now, now, time.Time{}
}

// Ended counts the videos of one submission by outcome.
type Ended struct {
	Running, Ready, Failed, Unsure int
	TaskID                         int64  // ID of one of them
	Title                          string // its title, or empty
}

// All returns how many videos there are.
func (e Ended) All() int { return e.Running + e.Ready + e.Failed + e.Unsure }

// Wanted reports whether somebody with these notices turned on gets the mail.
func (e Ended) Wanted(notices map[Notice]bool) bool {
	return notices[NoticeReady] && e.Ready > 0 || notices[NoticeFailed] && e.Failed+e.Unsure > 0
}
