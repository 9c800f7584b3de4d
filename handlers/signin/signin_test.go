package signin_test

import (
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/throttle"
)

// tooLong is a wrong password that is refused without hashing. Tests can therefore make
// many attempts before the limit lets another one through.
var tooLong = strings.Repeat("x", 4*secrets.MaxPasswordBytes+1)

func TestGuessesAtOneMomentAreCounted(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	wrong := handlerstest.Credentials("kim@example.com", tooLong)
	strangers := make([]*handlerstest.Browser, 60)
	for i := range strangers {
		strangers[i] = h.Stranger(t)
	}
	if got := handlerstest.AtOnce(60, func(i int) *handlerstest.Answer {
		return strangers[i].Post("/login", wrong)
	}); got[422] != 8 || got[429] != 52 {
		t.Errorf("signing in: %v, want 8 tries", got)
	}
	change := url.Values{"current": {tooLong}, "password": {"another long one"}}
	if got := handlerstest.AtOnce(60, func(int) *handlerstest.Answer {
		return p.Post("/settings/password", change)
	}); got[422] != 8 || got[429] != 52 {
		t.Errorf("changing the password: %v, want 8 tries", got)
	}
}

func TestSuccessfulSignInsDoNotCountAsAttempts(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	for range 12 { // more attempts than an account has
		h.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	}
}

func TestStrangersCannotKeepTheOwnerOut(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	owner.Post("/logout", nil).Is(303)
	stranger := h.Stranger(t)
	for range 40 {
		stranger.Post("/login", handlerstest.Credentials("kim@example.com", tooLong))
	}
	stranger.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(429)
	owner.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/")
	owner.Post("/logout", nil).Is(303)
	for range 8 {
		owner.Post("/login", handlerstest.Credentials("kim@example.com", tooLong)).Is(422)
	}
	owner.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(429)
}

// If attempts cannot be counted, every attempt is refused.
func TestNobodySignsInWhereTriesCannotBeCounted(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	stranger := h.Stranger(t)
	mend := h.RefuseWrites(t, "INSERT ON attempts", "INSERT ON guesses")
	for _, password := range []string{handlerstest.Password, "a wrong password"} {
		stranger.Post("/login", handlerstest.Credentials("kim@example.com", password)).Is(500)
		owner.Post("/settings/password", url.Values{"current": {password}, "password": {"quite another one"}}).Is(500)
	}
	stranger.Post("/join/"+secrets.NewToken(), url.Values{}).Is(500)
	stranger.Get("/reset/" + secrets.NewToken()).Is(500)
	mend()
	stranger.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
}

func TestTriesOfAnAccountAreCountedInEverySpelling(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	for _, email := range []string{"kim@example.com", "nobody@example.com"} {
		p := h.Stranger(t)
		for _, spelling := range []string{email, strings.ToUpper(email), " " + email, "\u200b" + email, "ｋ" + email[1:],
			email + "\u00ad", strings.ToTitle(email), email[:1] + strings.Repeat("\u200b", 110) + email[1:]} {
			p.Post("/login", handlerstest.Credentials(spelling, tooLong)).Is(422)
		}
		if email == "kim@example.com" {
			p.Post("/login", handlerstest.Credentials("KIM@example.com", "wrong")).Is(429)
		}
	}
}

func TestAddressesComeFromTheTrustedProxyAlone(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	proxies, err := throttle.ParseProxies("127.0.0.1")
	must(t, err)
	behind := h.With(t, func(c *handlers.Config) { c.Proxies = proxies })
	p := behind.Stranger(t)
	for i := range 30 {
		p.Post("/login", handlerstest.Credentials(fmt.Sprintf("nobody%d@example.com", i), tooLong), "X-Forwarded-For",
			fmt.Sprintf("6.6.6.%d, 198.51.100.7", i)).Is(422)
	}
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", "198.51.100.7").Is(429)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For",
		"198.51.100.7, 203.0.113.9").Is(303)

	p = behind.Stranger(t)
	for i := range 30 {
		p.Post("/login", handlerstest.Credentials(fmt.Sprintf("nobody%d@example.com", 100+i), tooLong), "X-Forwarded-For",
			fmt.Sprintf("2001:db8:1:2::%x", i)).Is(422)
	}
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", "2001:db8:1:2:ffff::1").Is(429)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", "2001:db8:1:3::1").Is(303)

	if strings.Contains(h.Log.String(), "-trusted-proxy") {
		t.Error("a proxy that was named is warned about")
	}
	p = h.Stranger(t) // this server does not trust any proxy
	for i := range 30 {
		p.Post("/login", handlerstest.Credentials(fmt.Sprintf("nobody%d@example.com", 200+i), tooLong), "X-Forwarded-For",
			fmt.Sprintf("6.6.7.%d", i)).Is(422)
	}
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password), "X-Forwarded-For", "203.0.113.9").Is(429)
	if strings.Count(h.Log.String(), "-trusted-proxy") != 1 {
		t.Error("the warning is not given once")
	}
}

// A hash takes 19 MiB, so the memory in use shows that nothing was hashed.
func TestNobodyWithoutALinkMakesTheProgramHash(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	p := h.Stranger(t)
	form := url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {handlerstest.Password}}
	for _, path := range []string{"/join/nonsense", "/reset/nonsense"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 30 {
			p.Post(path, form).Is(404)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
			t.Errorf("%s: 30 requests took %d MiB", path, grown>>20)
		}
		if p.Post(path, form).Is(429).Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	// The limit for sign-ins is counted separately.
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
}

func TestSetupTokenIsNotGuessed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Stranger(t)
	for i := range 30 {
		p.Get(fmt.Sprintf("/setup?token=%d", i)).Is(200).Lacks("[name=password]")
	}
	p.Get("/setup?token=" + handlerstest.SetupToken).Is(429).Lacks("[name=password]")
	form := url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {handlerstest.Password}}
	p.Post("/setup?token="+handlerstest.SetupToken, form).Is(429)
	p.Get("/setup").Is(200).Shows("from the server’s log")
}

func TestSignInIsLoggedWithoutSecrets(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	s := h.Stranger(t)
	s.Post("/login", handlerstest.Credentials("kim@example.com", "hidden-wrong-one")).Is(422)
	s.Post("/login", handlerstest.Credentials("hidden-typed-as-email", "x")).Is(422)
	s.Post("/login", handlerstest.Credentials(strings.Repeat("y", 200)+"@example.com\nlevel=INFO", "x")).Is(422)
	p.Post("/settings/password", url.Values{"current": {"hidden-wrong-one"}, "password": {"x"}}).Is(422)
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"hidden-new-one-here"}}).Is(303)
	ada := h.Joiner(t, p, "ada")
	ada.Get("/").Is(303)
	log := h.Log.String()
	for _, want := range []string{"a sign-in failed", "email=kim@example.com", "address=127.0.0.1", "present one was wrong",
		"a password was changed", "a join link was made", "somebody joined", "the first account was made"} {
		if !strings.Contains(log, want) {
			t.Errorf("not logged: %s", want)
		}
	}
	for _, secret := range []string{"hidden-", handlerstest.Password, strings.Repeat("y", 101), "\nlevel=INFO\n"} {
		if strings.Contains(log, secret) {
			t.Errorf("%.40q is in the log", secret)
		}
	}
}

// typedIn matches what forms hold.
var typedIn = regexp.MustCompile(`value="[^"]*"|(?s)<textarea[^>]*>.*?</textarea>`)

func TestWhatIsRefusedIsNotShownAsState(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Joiner(t, owner, "ada")
	long := strings.Repeat("Zq", 200)
	for path, form := range map[string]url.Values{
		"/limit":           {"self": {"NaN"}},
		"/settings":        {"name": {long}},
		"/team/limits":     {"default": {"NaN"}, "team": {"NaN"}},
		"/members/2/limit": {"limit": {"own"}, "credits": {"NaN"}},
		"/team/brand":      {"name": {long}, "colour": {"NaN"}},
	} {
		page := owner.Post(path, form).Is(422).Text
		for _, junk := range []string{"NaN", long} {
			if strings.Contains(typedIn.ReplaceAllString(page, ""), junk) {
				t.Errorf("%s shows %.10q outside the form", path, junk)
			}
			if form.Get("self") == junk && !strings.Contains(page, `value="`+junk+`"`) {
				t.Errorf("%s does not keep %.10q", path, junk)
			}
		}
	}
}

func TestNobodyIsLockedOutByTheUpgrade(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	for _, p := range l.People {
		handlerstest.OldBrowser(t, h, p).Get("/settings").Is(200).Shows(p.Name)
		if !norm.NFC.IsNormalString(p.Password) {
			// As before the upgrade: the old hash is of the bytes as they were typed.
			h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFC.String(p.Password))).Is(422)
		}
		// Signing in with the password as it was typed stores a hash of its normal
		// form, so that afterwards either form works.
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, p.Password)).Is(303).LeadsTo("/")
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFC.String(p.Password))).Is(303).LeadsTo("/")
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFD.String(p.Password))).Is(303).LeadsTo("/")
	}
	// Several browsers sign in at once, and only one of them renews the hash.
	l = handlerstest.Yesterday(t)
	h = handlerstest.NewAt(t, l.Dir)
	for _, p := range l.People {
		if norm.NFC.IsNormalString(p.Password) {
			continue
		}
		if got := handlerstest.AtOnce(6, func(int) *handlerstest.Answer {
			return h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, p.Password))
		}); got[303] != 6 {
			t.Errorf("%s, %s: %v", p.Name, p.Note, got)
		}
	}
}

func TestAccountsWithEquivalentAddressesAreKeptAndListed(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	admin := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	twins := db.DuplicateEmails(users)
	if len(twins) == 0 {
		t.Fatal("there are no twins in the folder")
	}
	page := admin.Get("/members").Is(200).Shows("These addresses look the same")
	for _, people := range twins {
		for _, u := range people {
			page.Shows(u.Name)
			found, err := h.Store.Accounts.UserByEmail(t.Context(), u.Email)
			must(t, err)
			if found.ID != u.ID {
				t.Errorf("%+q leads to %d, want %d", u.Email, found.ID, u.ID)
			}
		}
		// Nobody else can join with one of their addresses, however it is spelled.
		admin.Post("/members/invites", nil).Is(303)
		link := handlerstest.JoinLink(admin.Get("/members").Text)
		for _, spelling := range []string{people[0].Email, people[1].Email, db.EmailKey(people[0].Email)} {
			form := url.Values{"name": {"Eve"}, "email": {spelling}, "password": {handlerstest.Password}}
			h.Stranger(t).Post(link, form).Is(422)
		}
	}
	after, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	if len(after) != len(users) {
		t.Errorf("%d accounts became %d", len(users), len(after))
	}
}

func TestNobodyJoinsWithAnEquivalentAddress(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(p.Get("/members").Is(200).Hides("These addresses look the same").Text)
	for _, spelling := range []string{"KIM@example.com", "ｋｉｍ@example.com", "kim@example．com", "k\u200bim@example.com",
		"ki\u00adm@example.com", "kim@exam\u2060ple.com"} {
		h.Stranger(t).Post(link, url.Values{"name": {"Eve"}, "email": {spelling}, "password": {handlerstest.Password}}).Is(422)
	}
	h.Stranger(t).Post("/login", handlerstest.Credentials("ｋｉｍ@example.com", handlerstest.Password)).Is(303)
}
