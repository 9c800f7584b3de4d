package signin_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/throttle"
)

// office is how many people begin to work at the same moment.
const office = 49

// employ makes the accounts of an office.
func employ(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	hash := secrets.HashPassword(handlerstest.Password)
	for i := range office {
		must(t, sampletest.AddUser(t, h.Store, &db.User{Name: fmt.Sprint("P", i), Email: fmt.Sprintf("p%d@example.com", i),
			Password: hash, Role: db.Member, CreatedAt: db.Now()}))
	}
}

func TestAWholeOfficeSignsInAtTheSameMoment(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	employ(t, h)
	browsers := make([]*handlerstest.Browser, office)
	for name, email := range map[string]func(i int) string{
		"with an account each": func(i int) string { return fmt.Sprintf("p%d@example.com", i) },
		"with one account":     func(int) string { return "kim@example.com" },
		// Wrong ones among them cost only themselves.
		"and strangers guess": func(i int) string { return fmt.Sprintf("p%d@example.com", i) },
	} {
		for i := range browsers {
			browsers[i] = h.Stranger(t)
		}
		got := handlerstest.AtOnce(office, func(i int) *handlerstest.Answer {
			form := handlerstest.Credentials(email(i), handlerstest.Password)
			if name == "and strangers guess" && i%5 == 0 {
				form.Set("password", "a wrong one")
			}
			return browsers[i].Post("/login", form)
		})
		wrong := 0
		if name == "and strangers guess" {
			wrong = 10
		}
		if got[303] != office-wrong || got[422] != wrong {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAWholeOfficeGivesItsCodesAtTheSameMoment(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	employ(t, h)
	browsers, secrets := make([]*handlerstest.Browser, office), make([]string, office)
	for i := range browsers {
		credentials := handlerstest.Credentials(fmt.Sprintf("p%d@example.com", i), handlerstest.Password)
		at := h.Stranger(t)
		at.Post("/login", credentials).Is(303)
		secrets[i], _ = turnOn(t, at)
		browsers[i] = h.Stranger(t) // another browser, in which no code was given yet
		browsers[i].Post("/login", credentials).Is(303).LeadsTo("/login/code")
	}
	for range 7 { // few of the address's tries are left for the others
		browsers[0].Post("/login/code", wrongCode).Is(422)
		browsers[5].Post("/login/code", wrongCode).Is(422)
	}
	got := handlerstest.AtOnce(office, func(i int) *handlerstest.Answer {
		code := codeOf(t, secrets[i], 1)
		if i%5 == 0 {
			code = "000000"
		}
		return browsers[i].Post("/login/code", url.Values{"code": {code}})
	})
	if got[303] != office-10 || got[422] != 10 {
		t.Errorf("%v", got)
	}
}

func TestAWholeOfficeJoinsAtTheSameMoment(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	links := make([]string, office)
	for i := range links {
		founder.Post("/members/invites", nil).Is(303)
		links[i] = handlerstest.JoinLink(founder.Get("/members").Is(200).Text)
	}
	got := handlerstest.AtOnce(office, func(i int) *handlerstest.Answer {
		return h.Stranger(t).Post(links[i], url.Values{"name": {"Ada"}, "email": {fmt.Sprintf("ada%d@example.com", i)},
			"password": {handlerstest.Password}})
	})
	if got[303] != office {
		t.Errorf("%v", got)
	}
}

func TestAnAttackerWithManyIPv6NetworksIsSlowed(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	proxies, err := throttle.ParseProxies("127.0.0.1")
	must(t, err)
	behind := h.With(t, func(c *handlers.Config) { c.Proxies = proxies })
	p := behind.Stranger(t)
	from := func(network, n int) string { return fmt.Sprintf("2001:db8:%x:%x::1", network, n) }
	for i := range 100 {
		p.Post("/login", handlerstest.Credentials(fmt.Sprintf("nobody%d@example.com", i), tooLong), "X-Forwarded-For", from(1, i)).Is(422)
	}
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", from(1, 0xffff)).Is(429)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", from(2, 1)).Is(303)
}

func TestAStrangerWhoIsRefusedKeepsTheAddress(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	owner.Post("/logout", nil).Is(303)
	behind := h.With(t, func(c *handlers.Config) {
		c.Hashes = 1
		c.Proxies, _ = throttle.ParseProxies("127.0.0.1")
	})
	known := *owner
	known.Server = behind
	const flood = 300
	done := make(chan map[int]int, 1)
	go func() {
		done <- handlerstest.AtOnce(flood, func(i int) *handlerstest.Answer {
			a := behind.Stranger(t).Post("/login", handlerstest.Credentials(fmt.Sprintf("nobody%d@example.com", i), "a wrong one"),
				"X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/200, i%200))
			if a.StatusCode == 429 && (!strings.Contains(a.Text, "Many people are signing in") ||
				!strings.Contains(a.Text, fmt.Sprintf(`value="nobody%d@example.com"`, i))) {
				t.Errorf("the refusal: %s", a.Text)
			}
			return a
		})
	}()
	for range 5 {
		known.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
		known.Post("/logout", nil)
	}
	got := <-done
	if got[422]+got[429] != flood || got[429] == 0 || got[422] < 64 {
		t.Errorf("%v", got)
	}
}
