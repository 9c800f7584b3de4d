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
const chosen = "You choose in your settings what you are told by mail."

// Invite invites somebody to join the team with the link.
func Invite(by, link string) Letter {
	subject := "Join a team on Dailies"
	if by != "" {
		subject = fmt.Sprintf("Join %s's team on Dailies", naming.Isolated(by))
	}
	return Letter{
		Subject: subject,
		Lines: []string{
			fmt.Sprintf("%s invites you to Dailies, where the team makes AI video together.", somebody(by)),
			"The link makes one account, once, and works for seven days.",
		},
		Link: link, Button: "Join the team",
		Note: "If you do not know why you got this, do nothing.",
	}
}

// Reset sends a link that sets a new password. By is the admin who made it; it is empty
// if the user requested it themselves, from the network address from.
func Reset(person, by, from, link string) Letter {
	l := Letter{
		Subject: "Set a new password for Dailies",
		Lines:   []string{hello(person), "With this link you set a new password. It works once, for 24 hours, and signs you out everywhere."},
		Link:    link, Button: "Set a new password",
		Note: "If you did not ask for this, do nothing: your password stays as it is.",
	}
	if by != "" {
		l.Lines[1] = fmt.Sprintf("%s has made this link for you. With it you set a new password. It works once, for 24 hours, and signs you out everywhere.", naming.Isolated(by))
		l.Note = "Until you use the link, your password stays as it is."
	} else if from != "" {
		l.Note = fmt.Sprintf("If you did not ask for this, do nothing: your password stays as it is. It was asked for from the network address %s.", from)
	}
	return l
}

// signingChanges describes how the way to sign in was changed.
var signingChanges = map[audit.Action]string{
	audit.CodesOn:           "The second step was turned on for your account: after the password it needs a code from an app.",
	audit.CodesOff:          "The second step was turned off for your account.",
	audit.CodesRenewed:      "New recovery codes were made for your account. Those of before do not work any more.",
	audit.PasskeyAdded:      "A passkey was added to your account. It signs in without the password.",
	audit.PasskeyDeleted:    "A passkey of your account was deleted.",
	audit.IdentityLinked:    "Your account was connected with an account elsewhere, which signs in to it from now on.",
	audit.IdentityUnlinked:  "Your account is not connected any more with an account elsewhere.",
	audit.SecondStepDropped: "The second step of your account was taken away: a password alone signs in to it. You were signed out everywhere.",
	audit.PasswordChanged:   "The password of your account was changed. Other browsers were signed out.",
}

// Signing says that the way in which the user signs in was changed. d.By is an admin or
// a command, empty if the change was made by the user's own account.
func Signing(person string, d outbox.MailDetails, link string) Letter {
	if d.Action == audit.CodesGuessed {
		return guessed(person, d.From, link)
	}
	l := Letter{
		Subject: "How you sign in to Dailies was changed",
		Lines:   []string{hello(person), cmp.Or(signingChanges[d.Action], "It was changed how you sign in.")},
		Link:    link, Button: "See how you sign in",
		Note: "Was it you? Then nothing else is to be done. If it was not, tell an admin of your team at once: they can make a link for a new password, remove a second step, and sign every browser out.",
	}
	if d.Alone {
		l.Lines = append(l.Lines, "Your team requires a second step, and your account had none. Whoever gave your password first has set this one up.")
	}
	switch {
	case d.By != "" && d.From != "":
		l.Lines = append(l.Lines, fmt.Sprintf("It was done by %s, from the network address %s.", naming.Isolated(d.By), d.From))
	case d.By != "":
		l.Lines = append(l.Lines, fmt.Sprintf("It was done by %s.", naming.Isolated(d.By)))
	case d.From != "":
		l.Lines = append(l.Lines, fmt.Sprintf("It was done from the network address %s.", d.From))
	}
	return l
}

// guessed warns the user that somebody tries codes, from the network address.
func guessed(person, from, link string) Letter {
	l := Letter{
		Subject: "Somebody is trying codes for your Dailies account",
		Lines: []string{hello(person),
			"After the right password, eight wrong codes were given. Further tries get slower and slower. You can still sign in, in a browser that you’ve used before."},
		Link: link, Button: "Change your password",
		Note: "Was it you? Then there’s nothing to do. If it wasn’t, somebody knows your password: change it now.",
	}
	if from != "" {
		l.Lines = append(l.Lines, fmt.Sprintf("The last try came from the network address %s.", from))
	}
	return l
}

// Test says that mails are delivered.
func Test(person, link string) Letter {
	return Letter{
		Subject: "A test from Dailies",
		Lines:   []string{hello(person), "Mail from Dailies arrives. Nothing else is to be done."},
		Link:    link, Button: "Open Dailies",
	}
}

// Videos says how the videos that were ordered together ended.
func Videos(e outbox.Ended, link string) Letter {
	l := Letter{Link: link, Button: "See the videos", Note: chosen}
	if e.All() == 1 {
		return oneVideo(e, l)
	}
	switch {
	case e.Ready == e.All():
		l.Subject = fmt.Sprintf("Your %d videos are ready", e.Ready)
		l.Lines = []string{fmt.Sprintf("All %d videos of one press are ready.", e.Ready)}
	case e.Ready == 0:
		l.Subject = fmt.Sprintf("None of your %d videos was made", e.All())
		l.Lines = []string{"Of one press no video was made."}
	default:
		l.Subject = fmt.Sprintf("%d of your %d videos are ready", e.Ready, e.All())
		l.Lines = []string{fmt.Sprintf("Of one press %d of %d videos are ready.", e.Ready, e.All())}
	}
	if e.Failed > 0 {
		l.Lines = append(l.Lines, format.Plural(e.Failed, "Not made: %s video. The page of each says why, and what became of the credits.", "Not made: %s videos. The page of each says why, and what became of the credits."))
	}
	if e.Unsure > 0 {
		l.Lines = append(l.Lines, format.Plural(e.Unsure, "Of %s video it is not known whether it was sent. Please look and decide.", "Of %s videos it is not known whether they were sent. Please look and decide."))
	}
	return l
}

func oneVideo(e outbox.Ended, l Letter) Letter {
	name := strconv.FormatInt(e.TaskID, 10)
	if e.Title != "" {
		name = quoted(e.Title)
	}
	l.Button = "See the video"
	switch {
	case e.Ready == 1:
		l.Subject, l.Lines = "Your video is ready", []string{fmt.Sprintf("Your video %s is ready.", name)}
	case e.Unsure == 1:
		l.Subject, l.Lines = "Your video needs a decision", []string{fmt.Sprintf("Your video %s may have been sent, or not: the answer was lost. Please look and decide.", name)}
	default:
		l.Subject, l.Lines = "Your video was not made", []string{fmt.Sprintf("Your video %s was not made. Its page says why, and what became of the credits.", name)}
	}
	return l
}

// Asked tells an admin that somebody asks to spend more.
func Asked(d outbox.MailDetails, link string) Letter {
	asks := fmt.Sprintf("%s asks for %s credits more this month.", somebody(d.By), credits(d.Credits))
	if d.Credits == 0 {
		asks = fmt.Sprintf("%s asks to make a video of which nobody knows what it costs.", somebody(d.By))
	}
	return Letter{
		Subject: fmt.Sprintf("%s asks for more credits", somebody(d.By)),
		Lines:   []string{asks, quoted(d.Sentence)},
		Link:    link, Button: "Answer", Note: chosen,
	}
}

// Answered says how a request to spend more was answered.
func Answered(d outbox.MailDetails, link string) Letter {
	l := Letter{Subject: "You can spend more on Dailies", Link: link, Button: "Open Dailies", Note: chosen}
	switch d.Answer {
	case "once":
		l.Lines = []string{fmt.Sprintf("%s allows you up to %s credits more, for one press.", somebody(d.By), credits(d.Credits)), "Nothing was sent for you. Please press the button again."}
	case "month":
		l.Lines = []string{fmt.Sprintf("%s allows you %s credits more this month.", somebody(d.By), credits(d.Credits)), "Nothing was sent for you. Please press the button again."}
	case "always":
		l.Lines = []string{fmt.Sprintf("%s has raised your limit for every month.", somebody(d.By)), "Nothing was sent for you. Please press the button again."}
	default:
		l.Subject = "Your request for more credits"
		l.Lines = []string{fmt.Sprintf("%s said no to your request for more credits.", somebody(d.By))}
	}
	if d.Sentence != "" {
		l.Lines = append(l.Lines, quoted(d.Sentence))
	}
	return l
}

// Limit says that most or all of a limit is used up.
func Limit(d outbox.MailDetails, link string) Letter {
	l := Letter{Link: link, Button: "See the usage", Note: chosen}
	if d.Percent >= 100 {
		l.Subject = "The limit on Dailies is reached"
		all := "All credits of your limit for this month are spent or in use."
		if d.Team {
			all = "All credits of the team's limit for this month are spent or in use."
		}
		l.Lines = []string{all, "Videos that are being made go on. For new ones, ask an admin for more."}
		return l
	}
	l.Subject = fmt.Sprintf("%d %% of the limit on Dailies are used", d.Percent)
	l.Lines = []string{fmt.Sprintf("%d %% of your limit for this month are spent or in use.", d.Percent)}
	if d.Team {
		l.Lines = []string{fmt.Sprintf("%d %% of the team's limit for this month are spent or in use.", d.Percent)}
	}
	return l
}

func hello(person string) string {
	if person == "" {
		return "Hello,"
	}
	return fmt.Sprintf("Hello %s,", naming.Isolated(person))
}

// somebody returns the name of a person as it stands within a sentence.
func somebody(name string) string {
	if name == "" {
		return "Somebody in your team"
	}
	return naming.Isolated(name)
}

// quoted returns what somebody wrote as it stands within a sentence.
func quoted(text string) string { return fmt.Sprintf("“%s”", naming.Isolated(text)) }

func credits(n float64) string { return format.Number(n) }
