package handlers_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// withMail returns an app that sends mails, as far as its pages can tell.
func withMail(t *testing.T) *handlerstest.Server {
	t.Helper()
	return handlerstest.New(t).With(t, func(c *handlers.Config) { c.Mail, c.MailFrom = true, "mail.example.com:587" })
}

// waiting claims and returns the mails that wait to be sent.
func waiting(t *testing.T, h *handlerstest.Server) []outbox.Mail {
	t.Helper()
	now := h.Store.Now()
	mails, err := h.Store.Mail.ClaimMails(t.Context(), "test", now, now.Add(time.Millisecond), 100)
	must(t, err)
	return mails
}

func TestAForgottenPasswordIsAnsweredTheSameForEveryAddress(t *testing.T) {
	h := withMail(t)
	h.Founder(t)
	h.Stranger(t).Get("/login").Is(200).Has("a[href='/forgot']")
	p := h.Stranger(t)
	p.Get("/forgot").Is(200).Has("[name=email]")
	for _, address := range []string{"kim@example.com", "nobody@example.com"} {
		p.Post("/forgot", url.Values{"email": {address}}).Is(303).LeadsTo("/forgot?sent=1")
	}
	p.Get("/forgot?sent=1").Is(200).Shows("If we know this address").Hides("kim@")
	mails := waiting(t, h)
	if len(mails) != 2 || mails[0].Kind != outbox.MailForgot || mails[0].Address != "" || mails[0].UserID != 0 || len(mails[0].Sealed) == 0 {
		t.Errorf("got %+v", mails)
	}
	for _, bad := range []string{"", "x", "a@b\r\nBcc: c@d", "kim@example.com, lee@example.com"} {
		p.Post("/forgot", url.Values{"email": {bad}}).Is(422).Has("#email-error")
	}
	p.Post("/forgot", url.Values{"email": {"KIM@example.com"}}).Is(303)
	p.Post("/forgot", url.Values{"email": {"kim@example.com"}}).Is(303)
	h.Stranger(t).Post("/forgot", url.Values{"email": {"Kim@Example.com"}}).Is(429).Has("#email-error")
	p.Post("/forgot", url.Values{"email": {"other@example.com"}}).Is(303)
}

func TestWithoutAMailServerNothingIsOffered(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Stranger(t).Get("/login").Is(200).Lacks("a[href='/forgot']")
	kim.Get("/settings").Is(200).Lacks("form[action='/settings/mail']")
	kim.Post("/members/invites", url.Values{"addresses": {"new@example.com"}}).Is(303)
	if mails := waiting(t, h); len(mails) != 0 {
		t.Errorf("got %+v", mails)
	}
	kim.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
	kim.Get("/team/brand").Is(200).Shows("Email isn’t set up").Hides("Waiting").Lacks("form[action='/team/mail/test']")
}

func TestInvitationsAndLinksForAPasswordAreMailed(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada") // with a link that is not bound to an e-mail address
	kim.Post("/members/invites", url.Values{"addresses": {"new@example.com\nother@example.com"}}).Is(303)
	kim.Get("/members").Is(200).Shows("2 invitations sent.")
	kim.Post("/members/invites/2/revoke", nil).Is(303)
	kim.Post("/members/2/reset", nil).Is(303)
	kim.Post("/team/mail/test", nil).Is(303)
	vault, err := secrets.NewVault([]byte("a secret of the tests")) // the app's secret
	must(t, err)
	var got []string
	for _, m := range waiting(t, h) {
		got = append(got, string(m.Kind)+" "+m.Address+" "+m.Details.By)
		if m.Kind == outbox.MailInvite {
			token, err := vault.OpenMail(m.Name, m.Sealed)
			must(t, err)
			h.Stranger(t).Get("/join/" + token).Is(200).Shows("Join your team")
		}
	}
	if want := []string{"invite other@example.com Kim Doe", "reset ada@example.com Kim Doe", "test kim@example.com "}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	kim.Get("/team/brand").Is(200).Shows("other@example.com", "mail.example.com:587", "Waiting")
}

// Whoever asks on the stage for mails about their videos keeps what they had chosen.
func TestMailsAboutVideosAreTurnedOnInPlace(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	kim.Post("/settings/mail", url.Values{"mail": {"failed", "limit"}}).Is(303)
	if before := kim.Post("/settings/mail/ready", nil).Is(200).Text; before != "failed limit" {
		t.Errorf("before, it was %q", before)
	}
	kim.Get("/settings").Is(200).Has("[name=mail][value=ready][checked]").Has("[name=mail][value=failed][checked]").Has("[name=mail][value=limit][checked]").Lacks("[name=mail][value=asked][checked]")
	if got, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.NoticesChosen, Limit: 10}); err != nil || len(got) != 2 || got[0].Before != "failed, limit" {
		t.Errorf("in the audit are %+v: %v", got, err)
	}
	h.AddTask(t, 1, db.Processing)
	kim.Get("/create/text-to-video").Is(200).Has("[data-tell][data-mail]")
}

func TestEachPersonChoosesWhatTheyAreTold(t *testing.T) {
	h := withMail(t)
	kim := h.Founder(t)
	kim.Get("/settings").Is(200).Has("[name=mail][value=asked][checked]").Lacks("[name=mail][value=ready][checked]")
	kim.Post("/settings/mail", url.Values{"mail": {"ready", "nonsense"}}).Is(303)
	kim.Get("/settings").Is(200).Has("[name=mail][value=ready][checked]").Lacks("[name=mail][value=asked][checked]")
	kim.Post("/settings/mail", nil).Is(303)
	kim.Get("/settings").Is(200).Lacks("[name=mail][checked]")
}
