package people_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestSettingsAreKept(t *testing.T) {
	s := suite.Open(t)
	_, err := s.Settings.Setting(t.Context(), "port")
	suite.Wants(t, err, db.ErrNotFound)
	must(t, s.Settings.SetSetting(t.Context(), "port", "1"))
	must(t, s.Settings.SetSetting(t.Context(), "port", "2"))
	if v, err := s.Settings.Setting(t.Context(), "port"); v != "2" || err != nil {
		t.Error(v, err)
	}
}

func TestTheFirstValueOfASettingIsTheSameForAll(t *testing.T) {
	s := suite.Open(t)
	kept := make([]string, 20)
	var all sync.WaitGroup
	for i := range kept {
		all.Go(func() {
			var err error
			if kept[i], err = s.Settings.KeepSetting(t.Context(), "port", fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	now, err := s.Settings.Setting(t.Context(), "port")
	must(t, err)
	for _, v := range kept {
		if v != now {
			t.Fatalf("%q is kept, and %q was returned", now, v)
		}
	}
}

func TestTheBrandIsKept(t *testing.T) {
	h := suite.NewTeam(t)
	is := func(want team.Brand, file []byte) {
		t.Helper()
		got, err := h.Settings.Brand(t.Context())
		must(t, err)
		suite.Same(t, got, want)
		content, logo, err := h.Settings.Logo(t.Context())
		if file == nil {
			suite.Wants(t, err, db.ErrNotFound)
			return
		}
		must(t, err)
		if !bytes.Equal(content, file) || logo != want.Logo {
			t.Errorf("the logo is %x, %+v", content, logo)
		}
	}
	is(team.Brand{}, nil)
	b := team.Brand{Name: "Nordlicht Studio", Colour: "#0b6157"}
	must(t, h.Settings.SetBrand(t.Context(), team.Brand{Name: " Nordlicht  Studio ", Colour: b.Colour}, nil))
	is(b, nil)
	b.Logo = team.Logo{Type: "image/png", Hash: "abc", Width: 40, Height: 20}
	must(t, h.Settings.SetBrand(t.Context(), b, []byte("\x00\xfflogo")))
	is(b, []byte("\x00\xfflogo"))
	b.Name = "Südlicht"
	must(t, h.Settings.SetBrand(t.Context(), b, nil)) // keeps the logo
	is(b, []byte("\x00\xfflogo"))
	must(t, h.Settings.SetBrand(t.Context(), b, nil)) // changes nothing
	entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	if len(entries) != 3 || entries[0].After != "Südlicht (#0b6157, a logo of 40 × 20)" || entries[2].Before != "" {
		t.Errorf("the audit has %+v", entries)
	}
	b.Logo = team.Logo{}
	must(t, h.Settings.SetBrand(t.Context(), b, nil))
	is(b, nil)
}

func TestTheLabelsAreKept(t *testing.T) {
	h := suite.NewTeam(t)
	is := func(want team.Labels) {
		t.Helper()
		got, err := h.Settings.Labels(t.Context())
		must(t, err)
		suite.Same(t, got, want)
	}
	is(team.Labels{})
	must(t, h.Settings.SetLabels(t.Context(), team.Labels{})) // changes nothing
	l := team.Labels{Quiet: true, Producer: "001191440300708461136T1XGW3"}
	must(t, h.Settings.SetLabels(t.Context(), l))
	is(l)
	must(t, h.Settings.SetLabels(t.Context(), team.Labels{}))
	is(team.Labels{})
	entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	if len(entries) != 2 || entries[1].Before != "guests are told" || entries[1].After != "guests are not told, files name 001191440300708461136T1XGW3" {
		t.Errorf("the audit has %+v", entries)
	}
}

// typist returns a browser that has signed in before, or a stranger's at an address.
func typist(name string, known bool) ordering.Typist {
	return ordering.Typist{Browser: secrets.HashToken(name), Owner: secrets.HashToken(name), Known: known}
}

// typedForm returns a form that counts about as many bytes as the size.
func typedForm(size int, after time.Duration) ordering.Typed {
	return ordering.Typed{UserID: 7, Page: "/recipes/1", Values: url.Values{"prompt": {strings.Repeat("x", max(0, size-1200))}}, At: suite.Day.Add(after)}
}

// keptTyped reports whether the browser's form is still stored.
func keptTyped(t *testing.T, s *store.Store, name string, i int) bool {
	t.Helper()
	_, err := s.Settings.Typed(t.Context(), [2]secrets.TokenHash{ordering.TypedToken(name, fmt.Sprint(i))})
	return err == nil
}

func addTyped(t *testing.T, s *store.Store, by ordering.Typist, name string, i, size int, after time.Duration) {
	t.Helper()
	must(t, s.Settings.AddTyped(t.Context(), ordering.TypedToken(name, fmt.Sprint(i)), by, typedForm(size, after)))
}

func TestATypedFormIsStoredAndGoesAway(t *testing.T) {
	s := suite.Open(t)
	by := typist("kim", true)
	page, other := ordering.TypedToken("kim", "/a"), ordering.TypedToken("kim", "/b")
	for i := range 2 { // the second replaces the first
		want := ordering.Typed{UserID: 7, Page: "/a", Values: url.Values{"b.x": {fmt.Sprintf("“Ünï”\x00 %d", i)}}, At: suite.Day}
		must(t, s.Settings.AddTyped(t.Context(), page, by, want))
		got, err := s.Settings.Typed(t.Context(), [2]secrets.TokenHash{page})
		must(t, err)
		suite.Same(t, got, want)
	}
	must(t, s.Settings.AddTyped(t.Context(), other, by, typedForm(10, 0)))
	for _, want := range []bool{true, true, false} {
		drop := page
		if !want {
			drop = other
		}
		others, err := s.Settings.DropTyped(t.Context(), [2]secrets.TokenHash{drop}, by.Browser)
		must(t, err)
		if others != want {
			t.Errorf("others: %v, want %v", others, want)
		}
	}
	must(t, s.Settings.AddTyped(t.Context(), page, by, typedForm(10, 0)))
	must(t, s.Settings.AddTyped(t.Context(), other, by, typedForm(10, ordering.TypedLife)))
	_, err := s.Settings.Typed(t.Context(), [2]secrets.TokenHash{page})
	suite.Wants(t, err, db.ErrNotFound)
	must(t, s.Sessions.SweepSessions(t.Context(), suite.Day.Add(2*ordering.TypedLife)))
	_, err = s.Settings.Typed(t.Context(), [2]secrets.TokenHash{other})
	suite.Wants(t, err, db.ErrNotFound)
}

func TestStrangersNeverPushOutKnownBrowsers(t *testing.T) {
	s := suite.Open(t)
	addTyped(t, s, typist("kim", true), "kim", 0, 200<<10, 0)
	addTyped(t, s, typist("guest", false), "guest", 0, 20<<10, 0)
	const strangers, forms = 40, 4
	for n := range strangers * forms {
		name := fmt.Sprint("stranger ", n%strangers)
		addTyped(t, s, typist(name, false), name, n, ordering.MaxTyped, time.Duration(n)*time.Second)
	}
	if !keptTyped(t, s, "kim", 0) {
		t.Error("the colleague's form is lost")
	}
	if !keptTyped(t, s, "guest", 0) {
		t.Error("a stranger who has typed little is pushed out by those who have sent most")
	}
	kept := 0
	for n := range strangers * forms {
		if keptTyped(t, s, fmt.Sprint("stranger ", n%strangers), n) {
			kept++
		}
	}
	if kept == 0 || kept > ordering.MaxTypedUnknown/(ordering.MaxTyped-1024) {
		t.Errorf("%d forms of strangers are kept", kept)
	}
}

func TestABrowserKeepsItsNewestFormsWithinItsLimit(t *testing.T) {
	s := suite.Open(t)
	by := typist("kim", true)
	for n := range 30 {
		addTyped(t, s, by, "kim", n, 200<<10, time.Duration(n)*time.Second)
		if !keptTyped(t, s, "kim", n) {
			t.Fatalf("form %d is not kept", n)
		}
	}
	for n := range 30 {
		if kept := keptTyped(t, s, "kim", n); kept != (n >= 25) {
			t.Errorf("form %d: kept is %v", n, kept)
		}
	}
	for n := range 300 {
		addTyped(t, s, by, "small", n, 4<<10, time.Minute+time.Duration(n)*time.Millisecond)
	}
	if keptTyped(t, s, "small", 0) || !keptTyped(t, s, "small", 299) {
		t.Error("small forms are not limited")
	}
}

func TestAllKnownBrowsersTogetherHaveALimit(t *testing.T) {
	if suite.IsBrief() { // both limits are kept by the same statements
		t.Skip("writes 70 MB")
	}
	s := suite.Open(t)
	addTyped(t, s, typist("kim", true), "kim", 0, 100<<10, 0)
	const browsers = 68 // of somebody who signs in again and again, 1 MB each
	for n := range browsers * 4 {
		name := fmt.Sprint("browser ", n%browsers)
		addTyped(t, s, typist(name, true), name, n, ordering.MaxTyped, time.Duration(n)*time.Second)
	}
	kept := 0
	for n := range browsers * 4 {
		if keptTyped(t, s, fmt.Sprint("browser ", n%browsers), n) {
			kept++
		}
	}
	if !keptTyped(t, s, "kim", 0) || kept*ordering.MaxTyped > ordering.MaxTypedKnown+browsers<<10*2 {
		t.Errorf("%d large forms are kept", kept)
	}
}

// A form that somebody typed just before the upgrade is still there after it, and counts
// towards the limits with its size; the same holds for attempts that were counted.
func TestFormsAndAttemptsOfTheVersionBeforeTheirLimitsStay(t *testing.T) {
	path, raw := suite.Migrated(t, "021_typed.sql") // 022 is about guesses
	token, at := secrets.HashToken("browser"), db.Now()
	const form = `{"user":1,"page":"/create/text-to-video","values":{"prompt":["a kite"]},"at":"2026-11-20T08:00:00Z"}`
	_, err := raw.Exec(`INSERT INTO typed (token, at, form) VALUES (?, ?, ?)`, token[:], at.UnixMilli(), form)
	must(t, err)
	_, err = raw.Exec(`INSERT INTO attempts (name, full_at) VALUES (x'01', ?)`, at.Add(time.Hour).UnixMilli())
	must(t, err)
	s := suite.OpenAt(t, path)
	typed, err := s.Settings.Typed(t.Context(), [2]secrets.TokenHash{token})
	must(t, err)
	if typed.UserID != 1 || typed.Page != "/create/text-to-video" || typed.Values.Get("prompt") != "a kite" {
		t.Errorf("the form is %+v", typed)
	}
	var size, counted int
	must(t, raw.QueryRow(`SELECT size, length(browser) + length(counts_for) + known FROM typed`).Scan(&size, &counted))
	if size != len(form) || counted != 0 {
		t.Errorf("the form of %d bytes counts as %d", len(form), size)
	}
	limit := signin.Rate{Name: []byte{1}, Burst: 1, Every: time.Hour}
	if wait, err := s.Guesses.TakeAttempt(t.Context(), at, limit); err != nil || wait == 0 {
		t.Errorf("the attempt of before does not count: %s, %v", wait, err)
	}
	slow := signin.Backoff{Name: []byte{2}, Free: 1, First: time.Minute, Longest: time.Hour}
	if _, wait, err := s.Guesses.TakeGuess(t.Context(), at, slow); err != nil || wait != 0 {
		t.Errorf("the first guess waits %s, %v", wait, err)
	}
	if _, wait, err := s.Guesses.TakeGuess(t.Context(), at, slow); err != nil || wait == 0 {
		t.Errorf("the second guess waits %s, %v", wait, err)
	}
	others, err := s.Settings.DropTyped(t.Context(), [2]secrets.TokenHash{token}, secrets.HashToken("other"))
	if err != nil || others {
		t.Errorf("others %t, %v", others, err)
	}
}
