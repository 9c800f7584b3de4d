package account

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/views/input"
	"dailies/views/part"
)

// A WebhookPart holds the viewer's webhooks.
type WebhookPart struct {
	Hooks     []outbox.Webhook
	Said      string // result of the last change or test
	NewSecret string // a new signing secret, shown in full only once
}

// A WebhookForm is the form for a webhook.
type WebhookForm struct {
	Address input.Text
	Events  []outbox.Event // that are chosen
	Offered []outbox.Event
	Error   string // about the choice
	Team    bool
}

// NewWebhookForm returns the form for a new webhook, of the viewer or of the team.
func NewWebhookForm(team bool) *WebhookForm {
	events := outbox.Events()
	return &WebhookForm{
		Address: input.WebhookAddress(), Team: team, Events: []outbox.Event{outbox.VideoReady, outbox.VideoFailed},
		Offered: slices.DeleteFunc(events, func(e outbox.Event) bool { return e == outbox.TestSent }),
	}
}

// WebhookFormOf returns the form with which the webhook is changed.
func WebhookFormOf(h outbox.Webhook) *WebhookForm {
	f := NewWebhookForm(h.IsTeams())
	f.Address.Value, f.Events = h.Address, h.Events
	return f
}

// WebhookPath returns the path of the webhook's page.
func WebhookPath(id int64) string { return "/settings/webhooks/" + strconv.FormatInt(id, 10) }

// WebhooksPath returns the path of the list that has the webhook.
func WebhooksPath(h outbox.Webhook) string {
	if h.IsTeams() {
		return "/team/webhooks"
	}
	return "/settings#webhook-section"
}

func webhookPath(h outbox.Webhook, action string) string {
	return fmt.Sprintf("%s/%s", WebhookPath(h.ID), action)
}

func againPath(d outbox.Delivery) string {
	return fmt.Sprintf("%s/deliveries/%d/again", WebhookPath(d.WebhookID), d.ID)
}

// eventLabels say when a webhook is told.
var eventLabels = map[outbox.Event]string{
	outbox.VideoReady: "A video is ready", outbox.VideoFailed: "A video failed", outbox.VideoCanceled: "A video was cancelled",
	outbox.VideoUnconfirmed: "We’re not sure a video started", outbox.NoteCreated: "A note is written",
	outbox.VerdictGiven: "A guest decides",
	outbox.LimitAsked:   "More credits are asked for",
}

// eventNames name what a delivery is about.
var eventNames = map[outbox.Event]string{
	outbox.VideoReady: "ready videos", outbox.VideoFailed: "failed videos", outbox.VideoCanceled: "cancelled videos",
	outbox.VideoUnconfirmed: "videos that may not have started",
	outbox.NoteCreated:      "notes", outbox.VerdictGiven: "decisions of guests", outbox.LimitAsked: "requests for credits",
}

// webhookTold says what the webhook is told of.
func webhookTold(h outbox.Webhook) string {
	var names []string
	for _, e := range h.Events {
		names = append(names, eventNames[e])
	}
	if told := format.List(names); told != "" {
		return fmt.Sprintf("Told of %s.", told)
	}
	return "Told of nothing but tests."
}

// webhookState returns the state of a webhook in words, and the CSS class of its pill. The
// text is empty if there is nothing to say.
func webhookState(h outbox.Webhook) (text, class string) {
	switch {
	case h.Held:
		return "Waits for an admin", "pill run"
	case h.State == outbox.Paused:
		return "Paused", "pill bad"
	case h.State == outbox.Off:
		return "Off", "pill bad"
	case h.Failures > 0:
		return "Trying again", "pill run"
	case !h.SentAt.IsZero():
		return "Works", "pill good"
	}
	return "", ""
}

// webhookNews says how it goes with the webhook.
func webhookNews(h outbox.Webhook, now time.Time) string {
	switch {
	case !h.Standard:
		return "Its format isn’t sent any more."
	case h.Held:
		return "It came with a backup, so nothing is sent until an admin confirms that."
	case h.State == outbox.Off:
		return "Its program has said that it’s gone, so nothing is sent."
	case h.State == outbox.Paused && h.Waiting == 0:
		return fmt.Sprintf("Nothing arrived for %s, in %s tries.", part.Duration(now.Sub(h.FailingSince)), part.Number(h.Failures))
	case h.State == outbox.Paused:
		return part.Plural(h.Waiting, "Nothing arrived for %[2]s, in %[3]s tries. Nothing is lost: %[1]s message waits.",
			"Nothing arrived for %[2]s, in %[3]s tries. Nothing is lost: %[1]s messages wait.",
			part.Duration(now.Sub(h.FailingSince)), part.Number(h.Failures))
	case h.QuietUntil.After(now):
		return fmt.Sprintf("Its program asks us to wait for %s.", part.Duration(h.QuietUntil.Sub(now)))
	case h.SentAt.IsZero():
		return "Nothing has arrived yet."
	}
	return fmt.Sprintf("Last sent %s.", part.Ago(h.SentAt, now))
}

// webhookFormat says that the webhook has the earlier format.
const webhookFormat = "This webhook is off: it has a format from before the standard one, which isn’t sent any more. Once it’s changed, your program gets the standard format, with a new secret."

// madeBy says who has made a webhook of the team; empty if that is not known, or the
// webhook is a person's.
func madeBy(h outbox.Webhook) string {
	switch {
	case h.Maker == "":
		return ""
	case h.Left:
		return fmt.Sprintf("Made by %s, who has left.", naming.Isolated(h.Maker))
	}
	return fmt.Sprintf("Made by %s.", naming.Isolated(h.Maker))
}

// canTurnOn reports whether a button turns the webhook on.
func canTurnOn(h outbox.Webhook) bool { return h.State != outbox.On && h.Rests() == nil }

// delivered returns the state of a delivery in words, and the CSS class of its
// pill.
func delivered(d outbox.Delivery) (text, class string) {
	switch {
	case d.Outcome == outbox.Delivered:
		return "Arrived", "pill good"
	case d.Outcome == outbox.GaveUp:
		return "Failed", "pill bad"
	case d.Tries > 0 && !d.NextAt.IsZero():
		return "Trying again", "pill run"
	}
	return "Waiting", "pill run"
}

// deliveryName names the event that the delivery reports.
func deliveryName(d outbox.Delivery) string {
	switch d.Event {
	case outbox.TestSent:
		return "Test"
	case outbox.NoteCreated:
		return "Note"
	case outbox.VerdictGiven:
		return "Answer of a guest"
	case outbox.LimitAsked:
		return "Request for credits"
	}
	return part.StateName(d.State)
}

// deliveryNote says briefly how the delivery went.
func deliveryNote(d outbox.Delivery, now time.Time) string {
	var tried, next string
	if d.Tries > 1 {
		tried = fmt.Sprintf("Tried %s times.", part.Number(d.Tries))
	}
	if d.Tries > 0 && !d.NextAt.IsZero() {
		next = fmt.Sprintf("The next try is in %s.", part.Duration(d.NextAt.Sub(now)))
	}
	return format.Sentences(d.Problem, tried, next)
}
