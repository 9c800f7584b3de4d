package store_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
	"dailies/db/team"
)

// A leaver is a person who has something of every kind, and who will leave.
type leaver struct {
	db.User
	heir                           db.User
	video, private, waiting, begun db.Task
	recipe                         ordering.Recipe
}

func addLeaver(t *testing.T, s *store.Store) leaver {
	t.Helper()
	suite.AddUserAs(t, s, "ann", db.Admin)
	l := leaver{User: suite.AddUserAs(t, s, "jon", db.Admin), heir: suite.AddUserAs(t, s, "mia", db.Member)}
	made := func(private bool) db.Task {
		task := suite.AddTaskWith(t, s, l.ID, suite.Begin, suite.Accepted("pending"), func(task *db.Task) error {
			task.Charged, task.Private = db.CreditsOf(10), private
			return task.Report(db.Report{Status: "success", Charged: db.CreditsOf(10)}, suite.Day, suite.Day)
		})
		_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(task *db.Task) error { task.Keeping = db.Kept; return nil })
		must(t, err)
		return task
	}
	l.video, l.private = made(false), made(true)
	l.waiting, l.begun = suite.AddTask(t, s, l.ID, "waits"), suite.AddTaskWith(t, s, l.ID, suite.Begin, suite.Accepted("pending"))
	l.recipe = suite.NewRecipe(l.ID, "one")
	must(t, s.Recipes.AddRecipe(t.Context(), &l.recipe))
	must(t, s.Collections.AddCollection(t.Context(), &gallery.Collection{Name: "c", CreatedBy: l.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}))
	suite.AddSession(t, s, l.ID, suite.Day)
	suite.AddWebhook(t, s, l.ID, l.ID, outbox.Events()...)
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: l.ID, Sealed: []byte("x"), LastFour: "ABCD", Fingerprint: []byte("f"), CreatedAt: suite.Day}))
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken("a"), CreatedBy: l.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}}, nil))
	must(t, s.Sessions.AddReset(t.Context(), signin.Reset{UserID: l.ID, Token: secrets.HashToken("r"), CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}))
	return l
}

// reload returns the task as it is stored now.
func reload(t *testing.T, s *store.Store, task db.Task) db.Task {
	t.Helper()
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	return got
}

func TestEverythingIsHandedOverAndTheBooksStay(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	spent := suite.Member(t, s, l.ID).Spent
	had, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: l.heir.ID, At: suite.Day})
	must(t, err)
	suite.Same(t, had, team.Belongings{Videos: 2, Private: 1, Running: 1, Waiting: 1, Recipes: 1, Collections: 1, JoinLinks: 1, Browsers: 1, HasKey: true, Webhooks: 1})
	for _, task := range []db.Task{l.video, l.private, l.waiting, l.begun} {
		if got := reload(t, s, task); got.UserID != l.heir.ID || got.PayerID != l.ID {
			t.Errorf("task %d is %d's, paid by %d", got.ID, got.UserID, got.PayerID)
		}
	}
	if got := reload(t, s, l.waiting); got.State != db.Rejected || got.Message == "" {
		t.Errorf("what was not sent is %s: %q", got.State, got.Message)
	}
	if got := reload(t, s, l.begun); got.State != db.Pending {
		t.Errorf("what was sent is %s", got.State)
	}
	if !reload(t, s, l.private).Private {
		t.Error("what was private is not")
	}
	if got := suite.Member(t, s, l.ID); got.Spent != spent || suite.Member(t, s, l.heir.ID).Spent != 0 || got.IsActive() || got.Key != (team.KeyInUse{}) {
		t.Errorf("%+v, spent %v before", got, spent)
	}
	wrong, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	if len(wrong) != 0 {
		t.Errorf("the totals: %v", wrong)
	}
	left, err := s.Belongings(t.Context(), l.ID, suite.Day)
	must(t, err)
	suite.Same(t, left, team.Belongings{})
	r, err := s.Recipes.Recipe(t.Context(), l.recipe.ID)
	must(t, err)
	if r.CreatedBy != l.heir.ID {
		t.Errorf("the recipe is %d's", r.CreatedBy)
	}
	suite.Wants(t, s.Invites.Join(t.Context(), secrets.HashToken("a"), suite.Newcomer("x@example.com"), suite.Day), db.ErrNotFound)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken("r"), suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	session := signin.NewSession(l.ID, secrets.HashToken("s"), "", suite.Day)
	suite.Wants(t, s.Sessions.SignIn(t.Context(), &session, "hash", ""), db.ErrConflict)
	_, err = s.Leave(t.Context(), team.Leaving{UserID: l.ID, At: suite.Day})
	suite.Wants(t, err, db.ErrConflict)
	suite.Wants(t, s.Members.AddResetFor(t.Context(), signin.Reset{UserID: l.ID, Token: secrets.HashToken("r"), CreatedAt: suite.Day, ExpiresAt: suite.Day}), db.ErrConflict)
}

// After 30 days somebody may come back with a new account, or a colleague may get
// the e-mail address.
func TestTheAddressOfAnAccountClosedLongAgoIsFree(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	must(t, s.SignOn.Link(t.Context(), l.ID, suite.ClaimsOf("7", l.Email), suite.Day))
	_, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: l.heir.ID, At: suite.Day})
	must(t, err)
	over := suite.Day.Add(team.ReturnLife)
	release := func(at time.Time, want int) {
		t.Helper()
		n, err := s.Members.ReleaseAddresses(t.Context(), at)
		must(t, err)
		suite.Same(t, n, want)
	}
	release(over.Add(-time.Millisecond), 0)
	i := signin.Invite{Token: secrets.HashToken("new"), CreatedBy: 1, CreatedAt: over, ExpiresAt: over.Add(time.Hour), Email: l.Email}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	back := suite.Newcomer(l.Email)
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, back, over), db.ErrConflict)
	release(over, 1)
	release(over, 0)
	must(t, s.Invites.Join(t.Context(), i.Token, back, over))
	must(t, s.SignOn.Link(t.Context(), back.ID, suite.ClaimsOf("7", l.Email), over)) // the identity belongs to the person, not to the old account
	found, err := s.Accounts.UserByEmail(t.Context(), l.Email)
	must(t, err)
	suite.Same(t, found.ID, back.ID)
	old := suite.Member(t, s, l.ID)
	if old.Name != l.Name || old.Email != "" || old.Password != "" || old.IsActive() {
		t.Errorf("the old account is %+v", old)
	}
	suite.Wants(t, s.Members.Activate(t.Context(), l.ID, suite.Day), team.ErrTooLate) // with a wrong clock that is before the end of ReturnLife
	for _, typed := range []string{"", " ", " closed 2", "closed 2"} {
		_, err := s.Accounts.UserByEmail(t.Context(), typed)
		suite.Wants(t, err, db.ErrNotFound)
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.MemberReleased, Limit: 9})
	must(t, err)
	if len(entries) != 1 || entries[0].User != l.Name || entries[0].Before != l.Email {
		t.Errorf("recorded: %+v", entries)
	}
}

func TestPrivateVideosGoToTheBin(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, At: suite.Day})
	suite.Wants(t, err, team.ErrNoHeir) // nobody would see the private videos any more
	_, err = s.Leave(t.Context(), team.Leaving{UserID: l.ID, Bin: true, EndLinks: true, At: suite.Day})
	must(t, err)
	if got := reload(t, s, l.private); got.DeletedAt.IsZero() || got.UserID != l.ID {
		t.Errorf("the private one is %d's, deleted at %v", got.UserID, got.DeletedAt)
	}
	if got := reload(t, s, l.video); !got.DeletedAt.IsZero() || got.UserID != l.ID || got.PayerID != l.ID {
		t.Errorf("the other one: %+v", got)
	}
}

func TestOnlyActiveMakersCanInherit(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	viewer, gone := suite.AddUserAs(t, s, "vi", db.Viewer), suite.AddUserAs(t, s, "gone", db.Member)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: gone.ID, At: suite.Day})
	must(t, err)
	for _, to := range []int64{viewer.ID, gone.ID, l.ID, 99} {
		_, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: to, At: suite.Day})
		suite.Wants(t, err, team.ErrNoHeir)
	}
	if !suite.Member(t, s, l.ID).IsActive() || reload(t, s, l.waiting).State != db.Queued {
		t.Error("something has changed all the same")
	}
}

func TestReturningIsPossibleForAWhile(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	suite.Wants(t, s.Members.Activate(t.Context(), l.ID, suite.Day), db.ErrConflict)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: l.heir.ID, At: suite.Day})
	must(t, err)
	suite.Wants(t, s.Members.Activate(t.Context(), l.ID, suite.Day.Add(team.ReturnLife)), team.ErrTooLate)
	must(t, s.Members.Activate(t.Context(), l.ID, suite.Day.Add(team.ReturnLife-time.Second)))
	session := signin.NewSession(l.ID, secrets.HashToken("s"), "", suite.Day)
	must(t, s.Sessions.SignIn(t.Context(), &session, "hash", ""))
	if reload(t, s, l.video).UserID != l.heir.ID || !suite.Member(t, s, l.ID).IsAdmin() {
		t.Error("what was handed over came back, or the role did not")
	}
}

// Private videos that have not ended go to a colleague, even if the others go to
// the bin. Without a colleague the person cannot leave yet.
func TestPrivateVideosThatRunAreNotLost(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	_, err := s.Tasks.UpdateTask(t.Context(), l.begun.ID, func(task *db.Task) error { task.Private = true; return nil })
	must(t, err)
	_, err = s.Leave(t.Context(), team.Leaving{UserID: l.ID, Bin: true, At: suite.Day})
	suite.Wants(t, err, team.ErrUnfinished)
	_, err = s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: l.heir.ID, Bin: true, At: suite.Day})
	must(t, err)
	got := reload(t, s, l.begun)
	if got.UserID != l.heir.ID || got.PayerID != l.ID || !got.VisibleTo(l.heir.ID) || !got.DeletedAt.IsZero() {
		t.Errorf("the private video that runs: %+v", got)
	}
	if got := reload(t, s, l.private); got.UserID != l.ID || got.DeletedAt.IsZero() {
		t.Errorf("the private video: %+v", got)
	}
}

// An admin who has made a link for somebody else's password knows the link.
func TestLinksForAPasswordEndWithTheAdminWhoMadeThem(t *testing.T) {
	for name, end := range map[string]func(s *store.Store, id int64) error{
		"no admin any more": func(s *store.Store, id int64) error { return s.Members.SetRole(t.Context(), id, db.Member, s.Now()) },
		"closed": func(s *store.Store, id int64) error {
			_, err := s.Leave(t.Context(), team.Leaving{UserID: id, At: suite.Day})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := suite.Open(t)
			ann, jon := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "jon", db.Admin)
			people := []db.User{suite.AddUserAs(t, s, "a", db.Member), suite.AddUserAs(t, s, "b", db.Member), suite.AddUserAs(t, s, "c", db.Member)}
			for i, reset := range []signin.Reset{{}, {}, {ByServer: true}} {
				by := []db.User{jon, ann, {Name: "the command line"}}[i]
				reset.UserID, reset.Token, reset.CreatedAt, reset.ExpiresAt = people[i].ID, secrets.HashToken(people[i].Name), db.Now(), db.Now().Add(signin.ResetLife)
				ctx := audit.Acting(t.Context(), audit.Actor{UserID: by.ID, Name: by.Name})
				must(t, s.Members.AddResetFor(ctx, reset, outbox.NewMail(outbox.MailReset, people[i].ID, suite.Day)))
			}
			must(t, end(s, jon.ID))
			var left []string
			for _, u := range people {
				if _, err := s.Sessions.Reset(t.Context(), secrets.HashToken(u.Name), db.Now()); err == nil {
					left = append(left, u.Name)
				}
			}
			suite.Same(t, left, []string{"b", "c"})
			suite.Same(t, len(suite.ClaimMails(t, s, "a", suite.Day)), 2)
			late := signin.Reset{UserID: people[0].ID, Token: secrets.HashToken("late"), CreatedAt: db.Now(), ExpiresAt: db.Now().Add(signin.ResetLife)}
			suite.Wants(t, s.Members.AddResetFor(audit.Acting(t.Context(), audit.Actor{UserID: jon.ID}), late), db.ErrNotFound)
		})
	}
}

// Two admins make a link for the same person within a moment; only the second works.
// It must end with its own maker, and with nobody else.
func TestALinkForAPasswordOutlivesTheMakerOfAnEarlierOne(t *testing.T) {
	s := suite.Open(t)
	ann, jon, kim := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "jon", db.Admin), suite.AddUserAs(t, s, "kim", db.Admin)
	a, b := suite.AddUserAs(t, s, "a", db.Member), suite.AddUserAs(t, s, "b", db.Member)
	give := func(by, to db.User, token string) {
		t.Helper()
		ctx := audit.Acting(t.Context(), audit.Actor{UserID: by.ID, Name: by.Name})
		must(t, s.Members.AddResetFor(ctx, signin.Reset{UserID: to.ID, Token: secrets.HashToken(token), CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.ResetLife)}))
	}
	works := func(token string, want bool) {
		t.Helper()
		if _, err := s.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day); (err == nil) != want {
			t.Errorf("%s: %v, want it to work: %t", token, err, want)
		}
	}
	give(jon, a, "wrong for a")
	give(ann, a, "for a")
	give(ann, b, "wrong for b")
	give(jon, b, "for b")
	works("wrong for a", false)
	must(t, s.Members.SetRole(t.Context(), jon.ID, db.Member, s.Now()))
	works("for a", true)
	works("for b", false)
	give(kim, b, "again for b")
	_, err := s.Leave(t.Context(), team.Leaving{UserID: ann.ID, At: suite.Day})
	must(t, err)
	works("for a", false)
	works("again for b", true)
}

func TestAVideoThatIsHandedOnTwiceWasPaidByItsMaker(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	last := suite.AddUserAs(t, s, "eva", db.Member)
	for _, leaving := range []team.Leaving{{UserID: l.ID, HandTo: l.heir.ID, At: suite.Day}, {UserID: l.heir.ID, HandTo: last.ID, At: suite.Day}} {
		_, err := s.Leave(t.Context(), leaving)
		must(t, err)
	}
	if got := reload(t, s, l.video); got.UserID != last.ID || got.PayerID != l.ID {
		t.Errorf("it is %d's, paid by %d", got.UserID, got.PayerID)
	}
}

func TestAPrivateVideoThatIsBeingSavedIsNotDeletedWhenItsMakerLeaves(t *testing.T) {
	s := suite.Open(t)
	l := addLeaver(t, s)
	saving := suite.AddTaskWith(t, s, l.ID, suite.Begin, suite.Accepted("pending"), func(task *db.Task) error {
		task.Private = true
		return task.Report(db.Report{Status: "success", Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}}, suite.Day, suite.Day)
	})
	suite.Same(t, saving.Keeping, db.Saving)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: l.ID, HandTo: l.heir.ID, Bin: true, At: suite.Day})
	must(t, err)
	if got := reload(t, s, saving); !got.DeletedAt.IsZero() || got.UserID != l.heir.ID {
		t.Errorf("it is %d's, deleted at %s", got.UserID, got.DeletedAt)
	}
	if got := reload(t, s, l.private); got.DeletedAt.IsZero() {
		t.Error("the one that was saved before is not in the bin")
	}
}
