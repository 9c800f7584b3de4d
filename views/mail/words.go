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
		l.Lines[1] = fmt.Sprintf("%s made you this link for a new password. It works once, for 24 hours, and signs you out everywhere.", naming.Isolated(by))
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
		l.Lines = append(l.Lines, format.Plural(e.Failed, "%s video failed. Its page says why, and what it cost.", "%s videos failed. Their pages say why, and what they cost."))
	}
	if e.Unsure > 0 {
		l.Lines = append(l.Lines, format.Plural(e.Unsure, "We’re not sure %s video started. Take a look.", "We’re not sure %s videos started. Take a look."))
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
