package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/team"
)

// Day is some time in the past, with the stored precision of milliseconds.
var Day = time.Date(2026, 11, 3, 12, 0, 0, 5e6, time.UTC)

// AddUser adds an account of a member.
func AddUser(tb testing.TB, s *store.Store, name string) db.User {
	tb.Helper()
	u := db.User{
		Name: name, Email: strings.ReplaceAll(name, " ", ".") + "@example.com", Password: "hash", Role: db.Member,
		CreatedAt: Day,
	}
	must(tb, sampletest.AddUser(tb, s, &u))
	return u
}

// AddUserAs adds an account with the role.
func AddUserAs(tb testing.TB, s *store.Store, name string, role db.Role) db.User {
	tb.Helper()
	u := db.User{Name: name, Email: name + "@example.com", Password: "hash", Role: role, CreatedAt: Day}
	must(tb, sampletest.AddUser(tb, s, &u))
	return u
}

// Newcomer returns the account that somebody makes who was invited.
func Newcomer(email string) *db.User {
	return &db.User{Name: "New", Email: email, Password: "hash", Role: db.Member, CreatedAt: Day}
}

// Member returns the person as admins see them.
func Member(tb testing.TB, s *store.Store, id int64) team.Member {
	tb.Helper()
	m, err := s.Members.Member(tb.Context(), id, Day)
	must(tb, err)
	return m
}

// AddSession signs the person in, and makes it seem that they were last seen at that time.
func AddSession(t *testing.T, s *store.Store, userID int64, seen time.Time) signin.Session {
	t.Helper()
	v := signin.Session{
		UserID: userID, Token: secrets.HashToken(secrets.NewToken()), Agent: "Firefox",
		CreatedAt: Day, SeenAt: seen, ExpiresAt: seen.Add(signin.SessionLife),
	}
	must(t, sampletest.AddSession(t, s, &v))
	return v
}

// NewSession returns a session of the person that has just begun.
func NewSession(userID int64) *signin.Session {
	v := signin.NewSession(userID, secrets.HashToken(secrets.NewToken()), "Firefox", Day)
	return &v
}

// ClaimsOf returns what the company's provider says about Ann.
func ClaimsOf(subject, email string, values ...string) signin.Claims {
	return signin.Claims{Issuer: "https://login.example.com", Subject: subject, Name: "Ann", Email: email,
		EmailVerified: true, Values: values}
}

// PutKey gives the person a key of their own, with this fingerprint.
func PutKey(t *testing.T, s *store.Store, userID int64, key string) {
	t.Helper()
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: userID, Sealed: []byte("x"), Fingerprint: []byte(key), CreatedAt: Day}))
}

// AddTeamKey adds a key of the team, whose sealed form is its name and its ID.
func AddTeamKey(tb testing.TB, s *store.Store, name string, standard bool) team.Key {
	tb.Helper()
	k := team.Key{Name: name, Standard: standard, Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte(name), CreatedAt: Day}}
	must(tb, s.Keys.AddTeamKey(tb.Context(), &k, func(o secrets.KeyOwner) []byte { return fmt.Appendf(nil, "%s %d", name, o.TeamKeyID) }))
	return k
}

// UsesKey fails the test unless the person's next video is sent with this key: a name,
// "own", or empty for none.
func UsesKey(t *testing.T, s *store.Store, userID int64, want string) {
	t.Helper()
	k, err := s.Keys.KeyInUse(t.Context(), userID)
	if want == "" {
		Wants(t, err, db.ErrNotFound)
		return
	}
	must(t, err)
	Same(t, string(k.Fingerprint), want)
	if k.UserID != userID || (k.TeamKeyID == 0) != (want == "own") || len(k.Sealed) == 0 {
		t.Errorf("the key of %d is %+v", userID, k)
	}
	every, err := s.Keys.KeysInUse(t.Context(), []int64{userID})
	must(t, err)
	Same(t, every[userID], k)
}

// SendAs sends the task with the payer's current key.
func SendAs(t *testing.T, s *store.Store, id, payer int64) db.Task {
	t.Helper()
	k, err := s.Keys.KeyInUse(t.Context(), payer)
	must(t, err)
	_, err = s.Calls.SendTask(t.Context(), "me", id, k, Day)
	must(t, err)
	task, err := s.Calls.SettleCall(t.Context(), id, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: fmt.Sprint("remote ", id), Status: "pending", Charged: db.CreditsOf(30)}, Day, Day)
	})
	must(t, err)
	return task
}

// PracticeAddress is the address of the service in practice mode.
const PracticeAddress = "http://practice.invalid"

// StartService starts the store as a process does whose settings name the service fixed, and
// fails the test unless the team then uses the service at want.
func StartService(t *testing.T, s *store.Store, fixed, want string) db.Service {
	t.Helper()
	got, err := s.Services.Start(t.Context(), fixed, PracticeAddress, Day)
	must(t, err)
	Same(t, got.Address, want)
	Same(t, got.Practice, want == PracticeAddress)
	now, named, err := s.Services.Current(t.Context())
	must(t, err)
	Same(t, now, got)
	Same(t, named, fixed)
	return got
}

// Connect makes the team use the service at the address, with the key as its standard one.
func Connect(t *testing.T, s *store.Store, address, key string) db.Service {
	t.Helper()
	was, _, err := s.Services.Current(t.Context())
	must(t, err)
	must(t, s.Services.Connect(t.Context(), was.ID, address, ServiceKey(key), Sealed))
	now, _, err := s.Services.Current(t.Context())
	must(t, err)
	Same(t, now.Address, address)
	return now
}

// Practise makes the team return to practice mode.
func Practise(t *testing.T, s *store.Store) {
	t.Helper()
	was, _, err := s.Services.Current(t.Context())
	must(t, err)
	must(t, s.Services.Practise(t.Context(), was.ID, PracticeAddress, ServiceKey("practice"), Sealed))
}

// ServiceKey returns the team's key of a service, with the name as its fingerprint.
func ServiceKey(name string) *team.Key {
	return &team.Key{Name: "Video service", Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte(name), CreatedAt: Day}}
}

// Sealed returns the sealed form of a key of the team.
func Sealed(o secrets.KeyOwner) []byte { return fmt.Appendf(nil, "sealed %d", o.TeamKeyID) }

// AddToken adds a token with which the person's programs may make videos for 100 credits.
func AddToken(t *testing.T, s *store.Store, userID int64) program.Token {
	t.Helper()
	secret := program.NewSecret()
	hash, _ := program.Parse(secret)
	token := program.Token{UserID: userID, Name: "Importer", Start: program.Start(secret), Hash: hash, May: program.Make,
		Cap: db.CreditsOf(100), CreatedAt: Day, EndsAt: Day.AddDate(100, 0, 0)}
	must(t, s.Programs.Add(t.Context(), &token))
	return token
}

// Order places an order for a video of 30 credits.
func Order(t *testing.T, s *store.Store, token program.Token, key string) ([]db.Task, error) {
	t.Helper()
	task := NewTask(token.UserID, "a kite")
	task.Quoted, task.Reserved, task.CreatedAt = db.CreditsOf(30), 30, s.Now()
	return s.OrderTasks(t.Context(), program.Order{Token: token.ID,
		Request: program.Request{UserID: token.UserID, Key: key, Body: secrets.HashToken("body")}}, []db.Task{task})
}

// AddWebhook adds a webhook of the user, or of the team if there is none, that is told of the
// events. By is the person who adds it.
func AddWebhook(t *testing.T, s *store.Store, userID, by int64, events ...outbox.Event) outbox.Webhook {
	t.Helper()
	h := outbox.Webhook{UserID: userID, Address: "https://example.com/secret", Origin: "https://d.example.com", Events: events,
		Standard: true, CreatedAt: Day}
	must(t, s.Webhooks.Add(t.Context(), &h, []byte("x"), by))
	return h
}

// EventsOf returns the events that wait for the webhook, the oldest first.
func EventsOf(t *testing.T, s *store.Store, h outbox.Webhook) (events []outbox.Event) {
	t.Helper()
	all, err := s.Webhooks.Deliveries(t.Context(), h.ID, 99)
	must(t, err)
	for _, d := range slices.Backward(all) {
		events = append(events, d.Event)
	}
	return events
}

// ClaimMails claims the mails that are due at the given time.
func ClaimMails(t *testing.T, s *store.Store, owner string, at time.Time) []outbox.Mail {
	t.Helper()
	mails, err := s.Mail.ClaimMails(t.Context(), owner, at, at.Add(time.Minute), 100)
	must(t, err)
	return mails
}
