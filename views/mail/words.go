package mail

import (
	"cmp"
	"fmt"
	"strconv"

	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/outbox"
)

// chosen is the small print of mails that users can turn off.
const chosen = "Choose your emails in Settings."

// Invite invites somebody to join the team with the link.
func Invite(by, link string) Letter {
	subject := "Join a team on Dailies"
	if by != "" {
		subject = fmt.Sprintf("Join %s’s team on Dailies", naming.Isolated(by))
	}
	return Letter{
		Subject: subject,
		Lines: []string{
			fmt.Sprintf("%s invites you to Dailies, where the team makes AI video together.", byName(by)),
			"The link works once, for seven days.",
		},
		Link: link, Button: "Join team",
		Note: "Not expecting this? Do nothing.",
	}
}

// Reset sends a link that sets a new password. By is the admin who made it; it is empty
// if the user requested it themselves, from the network address from.
func Reset(person, by, from, link string) Letter {
	l := Letter{
		Subject: "Set a new password for Dailies",
		Lines:   []string{hello(person), "Set a new password with this link. It works once, for 24 hours, and signs you out everywhere."},
		Link:    link, Button: "Set password",
		Note: "Didn’t ask for this? Do nothing; your password stays.",
	}
	if by != "" {
		l.Lines[1] = fmt.Sprintf(
			"%s made you this link for a new password. It works once, for 24 hours, and signs you out everywhere.",
			naming.Isolated(by),
		)
		l.Note = "Your password stays until you use the link."
	} else if from != "" {
		l.Note = fmt.Sprintf("Didn’t ask for this? Do nothing; your password stays. The request came from network address %s.", from)
	}
	return l
}

// signingChanges describes how the way to sign in was changed.
var signingChanges = map[audit.Action]string{
	audit.CodesOn:           "The second step was turned on. After your password, you’ll need a code from an app.",
	audit.CodesOff:          "The second step was turned off.",
	audit.CodesRenewed:      "There are new recovery codes. The old ones no longer work.",
	audit.PasskeyAdded:      "A passkey was added. It signs in without your password.",
	audit.PasskeyDeleted:    "A passkey was deleted.",
	audit.IdentityLinked:    "Your account was connected to company sign-in.",
	audit.IdentityUnlinked:  "Your account was disconnected from company sign-in.",
	audit.SecondStepDropped: "The second step was removed; your password alone signs in now. You were signed out everywhere.",
	audit.PasswordChanged:   "Your password was changed. Other browsers were signed out.",
}

// Signing says that the way in which the user signs in was changed. d.By is an admin or
// a command, empty if the change was made by the user's own account.
func Signing(person string, d outbox.MailDetails, link string) Letter {
	if d.Action == audit.CodesGuessed {
		return guessed(person, d.From, link)
	}
	l := Letter{
		Subject: "Your sign-in changed",
		Lines:   []string{hello(person), cmp.Or(signingChanges[d.Action], "The way you sign in changed.")},
		Link:    link, Button: "Check sign-in",
		Note: "Wasn’t you? Tell an admin now.",
	}
	if d.Alone {
		l.Lines = append(l.Lines, "Your team requires a second step. The first person who gave your password has set it up.")
	}
	switch {
	case d.By != "" && d.From != "":
		l.Lines = append(l.Lines, fmt.Sprintf("By %s, from network address %s.", naming.Isolated(d.By), d.From))
	case d.By != "":
		l.Lines = append(l.Lines, fmt.Sprintf("By %s.", naming.Isolated(d.By)))
	case d.From != "":
		l.Lines = append(l.Lines, fmt.Sprintf("From network address %s.", d.From))
	}
	return l
}

// guessed warns the user of wrong codes, the last from the network address.
func guessed(person, from, link string) Letter {
	l := Letter{
		Subject: "Wrong codes for your Dailies account",
		Lines: []string{hello(person),
			"Eight wrong codes were tried with your right password. You can still sign in where you have before."},
		Link: link, Button: "Change password",
		Note: "Wasn’t you? Your password isn’t secret any more. Change it now.",
	}
	if from != "" {
		l.Lines = append(l.Lines, fmt.Sprintf("The last try came from network address %s.", from))
	}
	return l
}

// Webhook says that nothing has arrived at a webhook for so long that it is paused.
func Webhook(person, host, link string) Letter {
	return Letter{
		Subject: "A webhook is paused",
		Lines: []string{
			hello(person),
			fmt.Sprintf(
				"We couldn’t deliver to %s for more than an hour, so we’ve stopped trying. Nothing is lost: what’s new waits for 30 days.",
				host,
			),
		},
		Link: link, Button: "See webhook",
		Note: "Turn it on again there when your program works.",
	}
}

// EarlierFormat says that the upgrade has turned a webhook off, because it has a format that
// is no longer sent.
func EarlierFormat(person, host, link string) Letter {
	return Letter{
		Subject: "A webhook is off",
		Lines: []string{
			hello(person),
			fmt.Sprintf(
				"The webhook to %s had a format from before the standard one, which is no longer sent. Nothing is delivered there any more.",
				host,
			),
		},
		Link: link, Button: "See webhook",
		Note: "Change it to the standard format there. It gets a new signing secret, and is on again.",
	}
}

// HookOfLeaver tells an admin of a webhook of the team that somebody has made who has left.
func HookOfLeaver(person, maker, host, link string) Letter {
	return Letter{
		Subject: "A webhook of the team goes on",
		Lines: []string{
			hello(person),
			fmt.Sprintf("%s has left. The webhook of the team to %s, which they made, goes on.", naming.Isolated(maker), host),
		},
		Link: link, Button: "See webhook",
		Note: "Give it a new signing secret if they shouldn’t know the present one, or delete it.",
	}
}

// Test says that mails are delivered.
func Test(person, link string) Letter {
	return Letter{
		Subject: "A test from Dailies",
		Lines:   []string{hello(person), "Email from Dailies works."},
		Link:    link, Button: "Open Dailies",
	}
}

// Videos says how the videos that were ordered together ended.
func Videos(e outbox.Ended, link string) Letter {
	l := Letter{Link: link, Button: "See videos", Note: chosen}
	if e.All() == 1 {
		return oneVideo(e, l)
	}
	switch {
	case e.Ready == e.All():
		l.Subject = fmt.Sprintf("Your %d videos are ready", e.Ready)
		l.Lines = []string{"You can watch all of them."}
	case e.Ready == 0:
		l.Subject = fmt.Sprintf("None of your %d videos worked", e.All())
	default:
		l.Subject = fmt.Sprintf("%d of your %d videos are ready", e.Ready, e.All())
	}
	if e.Failed > 0 {
		l.Lines = append(l.Lines, format.Plural(
			e.Failed, "%s video failed. Its page says why, and what it cost.",
			"%s videos failed. Their pages say why, and what they cost.",
		))
	}
	if e.Unsure > 0 {
		l.Lines = append(l.Lines, format.Plural(
			e.Unsure, "We’re not sure %s video started. Take a look.", "We’re not sure %s videos started. Take a look.",
		))
	}
	return l
}

func oneVideo(e outbox.Ended, l Letter) Letter {
	name := strconv.FormatInt(e.TaskID, 10)
	if e.Title != "" {
		name = quoted(e.Title)
	}
	l.Button = "See video"
	switch {
	case e.Ready == 1:
		l.Subject, l.Lines = "Your video is ready", []string{fmt.Sprintf("Your video %s is ready.", name)}
	case e.Unsure == 1:
		l.Subject, l.Lines = "Did this video start?", []string{fmt.Sprintf("We’re not sure your video %s started, and it may have been charged. Take a look.", name)}
	default:
		l.Subject, l.Lines = "Your video failed", []string{fmt.Sprintf("Your video %s failed. Its page says why, and what it cost.", name)}
	}
	return l
}

// Asked tells an admin that a person asks to spend more.
func Asked(d outbox.MailDetails, link string) Letter {
	asks := fmt.Sprintf("%s asks for %s more credits this month.", byName(d.By), credits(d.Credits))
	if d.Credits == 0 {
		asks = fmt.Sprintf("%s asks to make a video with no fixed price.", byName(d.By))
	}
	return Letter{
		Subject: fmt.Sprintf("%s asks for more credits", byName(d.By)),
		Lines:   []string{asks, quoted(d.Sentence)},
		Link:    link, Button: "Answer", Note: chosen,
	}
}

// Answered says how a request to spend more was answered.
func Answered(d outbox.MailDetails, link string) Letter {
	l := Letter{Subject: "You can spend more on Dailies", Link: link, Button: "Open Dailies", Note: chosen}
	switch d.Answer {
	case "once":
		l.Lines = []string{fmt.Sprintf("%s gave you up to %s more credits, once.", byName(d.By), credits(d.Credits)), "Press Make again."}
	case "month":
		l.Lines = []string{fmt.Sprintf("%s gave you %s more credits this month.", byName(d.By), credits(d.Credits)), "Press Make again."}
	case "always":
		l.Lines = []string{fmt.Sprintf("%s raised your monthly limit.", byName(d.By)), "Press Make again."}
	default:
		l.Subject = "Your request for more credits"
		l.Lines = []string{fmt.Sprintf("%s declined your request for more credits.", byName(d.By))}
	}
	if d.Sentence != "" {
		l.Lines = append(l.Lines, quoted(d.Sentence))
	}
	return l
}

// Limit says that most or all of a limit is used up.
func Limit(d outbox.MailDetails, link string) Letter {
	l := Letter{Link: link, Button: "See usage", Note: chosen}
	if d.Percent >= 100 {
		l.Subject = "You’ve reached your limit on Dailies"
		all := "You’ve reached your limit for this month."
		if d.Team {
			l.Subject = "The team has reached its limit on Dailies"
			all = "The team has reached its limit for this month."
		}
		l.Lines = []string{all, "Videos in progress go on. For new ones, ask for more."}
		return l
	}
	l.Subject = fmt.Sprintf("%d%% of the limit on Dailies is used", d.Percent)
	l.Lines = []string{fmt.Sprintf("You’ve used %d%% of your limit for this month.", d.Percent)}
	if d.Team {
		l.Lines = []string{fmt.Sprintf("The team has used %d%% of its limit for this month.", d.Percent)}
	}
	return l
}

// stop is the name of the link that stops mails to a guest.
const stop = "Stop these emails"

// A Sender is what guests are told about who sent them a link.
type Sender struct {
	Team  string // empty if the team has no name, or is not told
	Title string // of the link; empty for none
}

// what names what the link shows.
func (s Sender) what() string {
	if s.Title == "" {
		return "a video"
	}
	return quoted(s.Title)
}

// from ends a subject with the name of the team.
func (s Sender) from(subject string) string {
	if s.Team == "" {
		return subject
	}
	return fmt.Sprintf("%s · %s", subject, naming.Isolated(s.Team))
}

// Confirm asks a guest whether the address is theirs. It says nothing that a stranger typed.
func Confirm(s Sender, link string) Letter {
	return Letter{
		Subject: s.from("Confirm your email"),
		Lines: []string{fmt.Sprintf(
			"This address was given on the page of %s. Do you want emails about replies to you and new takes?",
			s.what(),
		)},
		Link: link, Button: "Yes, it’s my address",
		Note: "Not you? Do nothing; no more emails come.",
	}
}

// A Reply is what somebody answered to a note.
type Reply struct {
	By   string
	Body string // empty if the mail does not tell it
}

// mostQuoted limits how many replies a mail tells, and how long each of them is.
const (
	mostQuoted = 5
	longQuote  = 300
)

// Replies tells a guest of replies to what they wrote.
func Replies(s Sender, replies []Reply, link, stop string) Letter {
	l := Letter{Link: link, Button: "See replies", Stop: stop}
	l.Subject = s.from(format.Plural(len(replies), "%s reply to your note", "%s replies to your notes"))
	l.Lines = []string{fmt.Sprintf("About %s:", s.what())}
	for i, r := range replies {
		if i == mostQuoted {
			l.Lines = append(l.Lines, format.Plural(len(replies)-i, "And %s more.", "And %s more."))
			break
		}
		l.Lines = append(l.Lines, said(r.By, r.Body))
	}
	return l
}

// said says who wrote what.
func said(by, body string) string {
	if body == "" {
		return fmt.Sprintf("%s replied.", byName(by))
	}
	return fmt.Sprintf("%s: %s", byName(by), quoted(naming.Short(naming.Clean(body), longQuote)))
}

// Take tells a guest of a new take.
func Take(s Sender, link, stop string) Letter {
	return Letter{
		Subject: s.from("A new take is ready"),
		Lines:   []string{fmt.Sprintf("There’s a new take of %s.", s.what())},
		Link:    link, Button: "Watch it", Stop: stop,
	}
}

// An Item of news is a note, or an answer of a guest.
type Item struct {
	By     string
	Guest  bool   // the name was typed by a guest
	Answer string // "approved" or "changes"; empty for a note
	Body   string
}

// says says what somebody wrote or decided.
func (i Item) says() string {
	by := byName(i.By)
	if i.Guest {
		by = fmt.Sprintf("%s (name typed by a guest)", byName(i.By))
	}
	body := quoted(naming.Short(naming.Clean(i.Body), longQuote))
	switch {
	case i.Answer == "approved" && i.Body == "":
		return fmt.Sprintf("%s approved.", by)
	case i.Answer == "approved":
		return fmt.Sprintf("%s approved: %s", by, body)
	case i.Answer != "":
		return fmt.Sprintf("%s wants changes: %s", by, body)
	}
	return fmt.Sprintf("%s: %s", by, body)
}

// A Topic is a video with what was said about it.
type Topic struct {
	Title string
	Items []Item
}

// News tells a person of notes and answers that they have not seen.
func News(topics []Topic, link string) Letter {
	l := Letter{Link: link, Button: "See notes", Note: chosen}
	n, left := 0, mostQuoted*2
	for _, t := range topics {
		n += len(t.Items)
		if left > 0 {
			l.Lines = append(l.Lines, fmt.Sprintf("About %s:", quoted(t.Title)))
		}
		for _, i := range t.Items {
			if left--; left >= 0 {
				l.Lines = append(l.Lines, i.says())
			}
		}
	}
	if left < 0 {
		l.Lines = append(l.Lines, format.Plural(-left, "And %s more.", "And %s more."))
	}
	l.Subject = format.Plural(n, "%s new note on Dailies", "%s new notes on Dailies")
	if len(topics) == 1 && n == 1 && topics[0].Items[0].Answer != "" {
		l.Subject = fmt.Sprintf("%s decided about your video", byName(topics[0].Items[0].By))
	}
	return l
}

func hello(person string) string {
	if person == "" {
		return "Hello,"
	}
	return fmt.Sprintf("Hello %s,", naming.Isolated(person))
}

// byName returns the name of a person as it stands within a sentence.
func byName(name string) string {
	if name == "" {
		return "A colleague"
	}
	return naming.Isolated(name)
}

// quoted returns what a person wrote as it stands within a sentence.
func quoted(text string) string { return fmt.Sprintf("“%s”", naming.Isolated(text)) }

func credits(n float64) string { return format.Number(n) }
