package room_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// mailing returns an app that sends mails, as far as its pages can tell.
func mailing(t *testing.T) *handlerstest.Server {
	t.Helper()
	return handlerstest.New(t).With(t, func(c *handlers.Config) { c.Mail = true })
}

// asked returns the subscriptions whose addresses are asked for confirmation.
func asked(t *testing.T, h *handlerstest.Server) (subs []review.Subscription) {
	t.Helper()
	mails, err := h.Store.Mail.Mails(t.Context(), 100)
	must(t, err)
	for _, m := range mails {
		if m.Kind == outbox.MailConfirm {
			sub, err := h.Store.Guests.Subscription(t.Context(), m.Details.GuestID)
			must(t, err)
			subs = append(subs, sub)
		}
	}
	return subs
}

func turnPath(t *testing.T, link string, sub review.Subscription) string {
	t.Helper()
	vault, err := secrets.NewVault([]byte("a secret of the tests")) // the app's secret
	must(t, err)
	return link + "/mail?" + url.Values{"to": {vault.SignMail(sub.ID, sub.Address)}}.Encode()
}

func TestAGuestGivesAnAddressAndTurnsMailsOnAndOff(t *testing.T) {
	h := mailing(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(page(film), "Our <boat>", "may", "decide", "password", password)
	other := owner.Share(page(film), "Another", "may", "decide")
	guest := h.Stranger(t)
	guest.Post(link+"/enter", url.Values{"password": {password}}).Is(303)
	guest.Get(link).Is(200).Has("#note-email")
	guest.Get(link + "?answer=approved").Is(200).Has("#verdict-email")
	note := url.Values{"task": {fmt.Sprint(film.ID)}, "at": {"0"}, "body": {"Larger"}, "name": {"Mara"}}
	for _, bad := range []string{"mara", "a@b\r\nBcc: c@d.example", "mara@example.com, jo@example.com", "Mara <mara@example.com>"} {
		guest.Post(link+"/notes", handlerstest.WithField(note, "email", bad)).Is(422).Has("#note-email-error", "#note-email[aria-invalid]").Shows("Larger")
	}
	guest.Post(link+"/notes", handlerstest.WithField(note, "email", "mara@example.com")).Is(303)
	subs := asked(t, h)
	if len(subs) != 1 || subs[0].Address != "mara@example.com" {
		t.Fatalf("asked %+v", subs)
	}
	guest.Get(link).Is(200).Lacks("#note-email", "#verdict-email", "#guest-email").Shows("We sent an email to mara@example.com")
	// Whoever typed the address cannot confirm it.
	guest.Get(link + "/mail").Is(200).Lacks("[value=on]")
	guest.Post(link+"/mail", url.Values{"do": {"on"}}).Is(403)
	turn := turnPath(t, link, subs[0])
	is := func(on bool) {
		t.Helper()
		if sub, err := h.Store.Guests.Subscription(t.Context(), subs[0].ID); err != nil || sub.IsOn() != on {
			t.Errorf("%+v, %v", sub, err)
		}
	}
	// In the mail program there is no password, no cookie and, once, no person.
	mail := h.Stranger(t)
	mail.Get(turn).Is(200).Has("[value=on]", "[value=off]").Shows("Is this your address?").Hides("/media/", "Our &lt;boat&gt;")
	is(false)
	mail.Post(turn, nil).Is(422)
	mail.Post(turn, url.Values{"do": {"on"}}).Is(303)
	is(true)
	mail.Get(turn).Is(200).Shows("Emails are on").Has("[value=off]").Lacks("[value=on]")
	guest.Get(link).Is(200).Shows("Emails go to mara@example.com").Has(fmt.Sprintf(`a[href="%s/mail"]`, link))
	mail.Post(turn, url.Values{"List-Unsubscribe": {"One-Click"}}).Is(303)
	is(false)
	mail.Get(turn).Is(200).Shows("Emails are off").Has("[value=on]")
	mail.Post(turn, url.Values{"do": {"on"}}).Is(303)
	guest.Post(link+"/mail", url.Values{"do": {"off"}}).Is(303)
	is(false)
	for _, wrong := range []string{turn + "A", turnPath(t, other, subs[0]), link + "/mail?to=1.x", link + "/mail?to=99.x"} {
		mail.Get(wrong).Is(404)
		mail.Post(wrong, url.Values{"do": {"on"}}).Is(404)
	}
	is(false)
	owner.Post("/shares/1/revoke", nil).Is(303)
	mail.Get(turn).Is(404).Shows("This link has ended")
	mail.Post(turn, url.Values{"do": {"on"}}).Is(404)
	is(false)
}

func TestAnAddressIsGivenWithAnAnswerOrLater(t *testing.T) {
	h := mailing(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	answer := func(email string) url.Values {
		return url.Values{"task": {fmt.Sprint(film.ID)}, "verdict": {"approved"}, "name": {"Mara"}, "email": {email}}
	}
	guest, later := h.Stranger(t), h.Stranger(t)
	guest.Post(link+"/verdict", answer("mara")).Is(422).Has("#verdict-email-error")
	guest.Post(link+"/verdict", answer("mara@example.com")).Is(303)
	later.Post(link+"/verdict", answer("")).Is(303)
	later.Get(link).Is(200).Has("#guest-email")
	later.Post(link+"/name", url.Values{"name": {"Mara"}, "email": {"jo"}}).Is(422)
	later.Post(link+"/name", url.Values{"name": {"Mara"}, "email": {"jo@example.com"}}).Is(303)
	if subs := asked(t, h); len(subs) != 2 || subs[0].Address != "jo@example.com" {
		t.Errorf("asked %+v", subs)
	}
	later.Get(link).Is(200).Shows("We sent an email to jo@example.com")
	// At most three mails an hour, on whatever link.
	for range 2 {
		link := owner.Share(page(film), "Our boat", "may", "decide")
		h.Stranger(t).Post(link+"/verdict", answer("JO@example.com")).Is(303)
	}
	link = owner.Share(page(film), "Our boat", "may", "decide")
	h.Stranger(t).Post(link+"/verdict", answer("jo@example.com")).Is(429).Has("#verdict-email-error").Shows("in an hour")
	h.Stranger(t).Post(link+"/notes", url.Values{"task": {fmt.Sprint(film.ID)}, "at": {"0"}, "body": {"Larger"}, "name": {"Jo"}, "email": {"jo@example.com"}}).Is(429).Has("#note-email-error").Shows("Larger")
}

func TestWithoutAMailServerGuestsAreNotAskedForAnAddress(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(page(film), "Our boat", "may", "decide")
	guest := h.Stranger(t)
	guest.Get(link).Is(200).Lacks("[name=email]")
	guest.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(film.ID)}, "verdict": {"approved"}, "name": {"Mara"}, "email": {"mara@example.com"}}).Is(303)
	guest.Get(link).Is(200).Lacks("[name=email]")
	now := h.Store.Now()
	if mails, err := h.Store.Mail.ClaimMails(t.Context(), "test", now, now.Add(time.Millisecond), 100); err != nil || len(mails) > 0 {
		t.Errorf("%+v, %v", mails, err)
	}
}
