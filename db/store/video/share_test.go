package video_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// plainToken returns the unsealed token of the n-th link of an earlier version.
func plainToken(n int) string { return fmt.Sprintf("TOKENINTHECLEAROFTHELINK%02d", n) }

// thirdMigration creates a database as the third migration left it, with one video
// and links to it that have these titles, and returns its path.
func thirdMigration(tb testing.TB, titles ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "dailies.db")
	raw, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
	must(tb, err)
	defer raw.Close()
	exec := func(statement string, args ...any) {
		_, err := raw.Exec(statement, args...)
		must(tb, err)
	}
	for _, name := range []string{"001_start", "002_order", "003_search"} {
		text, err := os.ReadFile("../sqlite/migrations/" + name + ".sql")
		must(tb, err)
		exec(string(text))
	}
	exec(`PRAGMA user_version = 3`)
	exec(`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at) VALUES ('Ann', 'a', 'a', '', 'admin', '', 0)`)
	exec(`INSERT INTO tasks (user_id, form_token, scene, model, state, keeping, provider, created_at, options, pictures, prompt)
		VALUES (1, 'form', 'text-to-video', 'veo3', 'success', 'kept', '', 0, '{}', '[]', $1)`, "A paper  boat\nsails, slowly, to the horizon")
	exec(`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) VALUES (1, 'video', 0, 'abc', 'video/webm', 1, '', 0)`)
	for i, title := range titles {
		exec(`INSERT INTO shares (token, task_id, title, created_by, created_at, expires_at) VALUES ($1, 1, $2, 1, 0, $3)`,
			plainToken(i), title, suite.Day.AddDate(1, 0, 0).UnixMilli())
	}
	return path
}

// plainTokens counts the unsealed tokens in the database's files.
func plainTokens(tb testing.TB, path string) (n int) {
	tb.Helper()
	for _, name := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			tb.Fatal(err)
		}
		n += bytes.Count(content, []byte("TOKENINTHECLEAR"))
	}
	return n
}

func TestLinksOfAnEarlierVersionAreSealed(t *testing.T) {
	const links = 1200 // more than are sealed at once
	path := thirdMigration(t, make([]string, links)...)
	if plainTokens(t, path) < links {
		t.Fatal("the old database has no tokens")
	}
	s, err := store.Open(t.Context(), path)
	must(t, err)
	opens := func(n int) {
		t.Helper()
		share, shown, err := s.Links.OpenShare(t.Context(), plainToken(n), gallery.Opening{}, suite.Day)
		if err != nil || len(shown.Tasks) != 1 || share.ID != int64(n+1) || share.Token != plainToken(n) {
			t.Errorf("link %d: %+v, %v", n, share, err)
		}
	}
	opens(0) // before anything is sealed
	vault, err := secrets.NewVault([]byte("a secret of the tests"))
	must(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Links.SealShares(ended, vault); err == nil {
		t.Error("it ran on")
	}
	must(t, s.Links.SealShares(t.Context(), vault))
	must(t, s.Links.SealShares(t.Context(), vault))
	if n := plainTokens(t, path); n > 0 {
		t.Errorf("%d tokens are still in the clear", n)
	}
	opens(0)
	opens(links - 1)
	for _, n := range []int{0, 1199} {
		share, err := s.Links.Share(t.Context(), int64(n+1))
		must(t, err)
		if token, err := vault.OpenToken(1, share.Sealed); err != nil || token != plainToken(n) {
			t.Errorf("link %d: %q, %v", n, token, err)
		}
	}
	later := suite.Day.AddDate(2, 0, 0) // when the others have expired
	added := gallery.Share{Token: secrets.NewToken(), TaskID: 1, CreatedBy: 1, CreatedAt: later, ExpiresAt: later.Add(time.Hour)}
	must(t, s.Links.AddShare(t.Context(), &added))
	if added.ID != links+1 {
		t.Errorf("the next link has the id %d", added.ID)
	}
	must(t, s.Close())
	if n := plainTokens(t, path); n > 0 {
		t.Errorf("%d tokens are in the clear after the end", n)
	}
}

func TestTitlesThatBeginThePromptAreCleared(t *testing.T) {
	titles := map[string]string{
		"A paper boat sails, slowly, to the horizon": "",
		"A paper boat sails…":                        "",
		"A paper boat":                               "",
		"A paper boat for you":                       "A paper boat for you",
		"a gift":                                     "a gift",
		"…":                                          "…",
	}
	var given []string
	for title := range titles {
		given = append(given, title)
	}
	s := suite.OpenAt(t, thirdMigration(t, given...))
	for i, title := range given {
		share, err := s.Links.Share(t.Context(), int64(i+1))
		must(t, err)
		if share.Title != titles[title] {
			t.Errorf("%q became %q", title, share.Title)
		}
	}
}

func TestOnlyAPrefixBeginsThePrompt(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct {
		title, prompt string
		want          bool
	}{
		{"", "a boat", false}, {"", "", false}, {"A video without words", "", false},
		{"word word word...", long, true}, {"word  word", long, true}, {"boat", "a boat", false}, {"a boat and more", "a boat", false},
	} {
		if got := gallery.BeginsPrompt(tt.title, tt.prompt); got != tt.want {
			t.Errorf("%q of %.20q: %v", tt.title, tt.prompt, got)
		}
	}
}

// TestALinkShowsWhatItsMakerMayShow opens links and the files of all videos while
// the videos, the collection and the links change.
func TestALinkShowsWhatItsMakerMayShow(t *testing.T) {
	h := newTeam(t)
	unkept := suite.Bring(t, h.Store, suite.AddTask(t, h.Store, h.Ann.ID, "x").ID, db.Success, suite.Day).ID
	c := gallery.Collection{Name: "Trailer", CreatedBy: h.Ann.ID, CreatedAt: suite.Day}
	must(t, h.Collections.AddCollection(t.Context(), &c))
	_, err := h.Collections.AddToCollection(t.Context(), c.ID, h.Ann.ID, []int64{h.Bos, h.Anns, h.AnnsPrivate, unkept}, suite.Day)
	must(t, err)
	link := func(token string, s gallery.Share) gallery.Share {
		t.Helper()
		s.Token, s.CreatedAt, s.ExpiresAt = token, suite.Day, suite.Day.Add(time.Hour)
		must(t, h.Links.AddShare(t.Context(), &s))
		return s
	}
	one := link("one", gallery.Share{TaskID: h.Anns, CreatedBy: h.Bo.ID})
	link("private", gallery.Share{TaskID: h.AnnsPrivate, CreatedBy: h.Ann.ID})
	link("another's", gallery.Share{TaskID: h.AnnsPrivate, CreatedBy: h.Bo.ID})
	link("unkept", gallery.Share{TaskID: unkept, CreatedBy: h.Ann.ID})
	all := link("all", gallery.Share{CollectionID: c.ID, CreatedBy: h.Ann.ID})
	shows := func(token string, now time.Time, opens bool, want ...int64) {
		t.Helper()
		_, shown, err := h.Links.OpenShare(t.Context(), token, gallery.Opening{}, now)
		if (err == nil) != opens || opens && (!slices.Equal(shown.IDs, want) || !slices.Equal(suite.IDs(shown.Tasks), want)) {
			t.Errorf("%s shows %+v, %v, want %v", token, shown, err, want)
		}
		for _, id := range append([]int64{h.Anns}, want...) {
			if _, _, err := h.Links.VideoOn(t.Context(), token, id, now); (err == nil) != (opens && slices.Contains(want, id)) || err != nil && !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s and video %d: %v", token, id, err)
			}
		}
		for range 2 { // the second time from memory, if nothing was written
			link, err := h.Links.Link(t.Context(), token, now)
			if (err == nil) != opens && token != "unkept" || err != nil && !errors.Is(err, db.ErrNotFound) || err == nil && link.Token != token {
				t.Errorf("%s is open: %+v, %v", token, link, err)
			}
		}
		for _, id := range []int64{h.Anns, h.AnnsPrivate, h.Bos, h.BosPrivate} {
			task, err := h.Tasks.Task(t.Context(), id)
			must(t, err)
			if _, err := h.Links.SharedMedia(t.Context(), token, task.Media[0].ID, now); (err == nil) != slices.Contains(want, id) {
				t.Errorf("%s and the file of %d: %v", token, id, err)
			}
		}
	}
	shows("one", suite.Day, true, h.Anns)
	shows("one", one.ExpiresAt, false)
	shows("private", suite.Day, true, h.AnnsPrivate)
	shows("another's", suite.Day, false)
	shows("unkept", suite.Day, false)
	shows("all", suite.Day, true, h.Bos, h.Anns)
	shows("all", all.ExpiresAt, false)
	shows("none", suite.Day, false)

	listed := func(by int64) (tokens []int64) {
		t.Helper()
		shares, err := h.Links.Shares(t.Context(), by, suite.Day, 10)
		must(t, err)
		for _, s := range shares {
			tokens = append(tokens, s.ID)
		}
		return tokens
	}
	suite.Same(t, listed(h.Ann.ID), []int64{all.ID, 4, 2})
	must(t, h.Collections.DeleteCollection(t.Context(), c.ID, h.Ann.ID, suite.Day))
	shows("all", suite.Day, false)
	suite.Same(t, listed(h.Ann.ID), []int64{4, 2})
	_, err = h.Collections.RestoreCollection(t.Context(), c.ID)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Ann, []int64{h.Anns}, suite.Day)
	must(t, err)
	shows("one", suite.Day, false)
	shows("all", suite.Day, true, h.Bos)
	_, err = h.Bin.RestoreTasks(t.Context(), h.Ann, []int64{h.Anns})
	must(t, err)

	must(t, h.Links.RevokeShare(t.Context(), one.ID, suite.Day))
	must(t, h.Links.RevokeShare(t.Context(), one.ID, suite.Day.Add(time.Minute)))
	shows("one", suite.Day, false)
	revoked, err := h.Links.Share(t.Context(), one.ID)
	must(t, err)
	suite.Same(t, revoked.RevokedAt, suite.Day)
	left, err := h.Links.SharesOf(t.Context(), h.Anns, 0, suite.Day)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%+v are still open", left)
	}
}

func TestALinkToAStorylineShowsItsScenes(t *testing.T) {
	h := newTeam(t)
	made := func(id int64) db.Task {
		t.Helper()
		task, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.Keeping, t.Media = db.Kept, []db.Media{{Kind: db.Video, Hash: fmt.Sprint("hash ", id), CreatedAt: suite.Day}}
			return nil
		})
		must(t, err)
		return task
	}
	one := made(h.from(t, h.Bo.ID, h.Anns, db.Copied, "", db.Success))
	two := made(h.from(t, h.Bo.ID, one.ID, db.Continued, "", db.Success))
	three := made(h.from(t, h.Bo.ID, two.ID, db.Continued, "", db.Success))
	s := gallery.Share{Token: "story", TaskID: two.ID, Story: true, CreatedBy: h.Bo.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, h.Links.AddShare(t.Context(), &s))
	shows := func(opens bool, want ...int64) {
		t.Helper()
		_, shown, err := h.Links.OpenShare(t.Context(), "story", gallery.Opening{}, suite.Day)
		if (err == nil) != opens || opens && !slices.Equal(suite.IDs(shown.Tasks), want) {
			t.Errorf("it shows %+v, %v, want %v", shown, err, want)
		}
		for _, task := range []db.Task{one, two, three} {
			if _, _, err := h.Links.VideoOn(t.Context(), "story", task.ID, suite.Day); (err == nil) != slices.Contains(want, task.ID) {
				t.Errorf("video %d: %v", task.ID, err)
			}
			if _, err := h.Links.SharedMedia(t.Context(), "story", task.Media[0].ID, suite.Day); (err == nil) != slices.Contains(want, task.ID) {
				t.Errorf("the file of %d: %v", task.ID, err)
			}
		}
		anns, err := h.Tasks.Task(t.Context(), h.Anns)
		must(t, err)
		if _, err := h.Links.SharedMedia(t.Context(), "story", anns.Media[0].ID, suite.Day); err == nil {
			t.Error("it shows a video that is no scene")
		}
	}
	private := func(id int64, is bool) {
		t.Helper()
		_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.Private = is; return nil })
		must(t, err)
	}
	shows(true, one.ID, two.ID, three.ID)
	must(t, h.Lineage.SetCuts(t.Context(), []gallery.Cut{{TaskID: three.ID}, {TaskID: one.ID, Out: true}, {TaskID: two.ID}}))
	shows(true, three.ID, two.ID)
	private(three.ID, true)
	shows(true, two.ID)
	private(two.ID, true) // the link's own
	shows(false)
	private(two.ID, false)
	private(three.ID, false)
	must(t, h.Lineage.SetCuts(t.Context(), []gallery.Cut{{TaskID: one.ID}, {TaskID: two.ID}, {TaskID: three.ID}}))
	shows(true, one.ID, two.ID, three.ID)

	ofVideo, err := h.Links.SharesOf(t.Context(), two.ID, 0, suite.Day)
	must(t, err)
	ofStory, err := h.Links.SharesOfStory(t.Context(), []int64{one.ID, two.ID}, suite.Day)
	must(t, err)
	ofOther, err := h.Links.SharesOfStory(t.Context(), []int64{one.ID, h.Anns}, suite.Day)
	must(t, err)
	if len(ofVideo) != 0 || len(ofStory) != 1 || ofStory[0].ID != s.ID || !ofStory[0].Story || len(ofOther) != 0 {
		t.Errorf("listed are %v, %v and %v", ofVideo, ofStory, ofOther)
	}
	must(t, h.Links.RevokeShare(t.Context(), s.ID, suite.Day))
	shows(false)
}

func TestASecondPressMakesNoSecondLink(t *testing.T) {
	h := newTeam(t)
	once := func(s gallery.Share, after int64, now time.Time) int64 {
		t.Helper()
		s.Token, s.CreatedAt, s.ExpiresAt = secrets.NewToken(), now, now.Add(time.Hour)
		s, err := h.Links.AddShareOnce(t.Context(), s, after)
		must(t, err)
		return s.ID
	}
	bos := gallery.Share{TaskID: h.Anns, CreatedBy: h.Bo.ID, Title: "For Mara"}
	first := once(bos, 0, suite.Day)
	for name, again := range map[string]gallery.Share{
		"a second press":   bos,
		"another tab":      {TaskID: h.Anns, CreatedBy: h.Bo.ID, Title: "For Tom"},
		"an ID without it": {TaskID: h.Anns, CreatedBy: h.Bo.ID},
	} {
		if id := once(again, 0, suite.Day); id != first {
			t.Errorf("%s: link %d instead of %d", name, id, first)
		}
	}
	kept, err := h.Links.Share(t.Context(), first)
	must(t, err)
	suite.Same(t, kept.Title, "For Mara")
	anns := once(gallery.Share{TaskID: h.Anns, CreatedBy: h.Ann.ID}, 0, suite.Day)
	story := once(gallery.Share{TaskID: h.Anns, CreatedBy: h.Bo.ID, Story: true}, 0, suite.Day)
	other := once(gallery.Share{TaskID: h.Bos, CreatedBy: h.Bo.ID}, 0, suite.Day)
	second := once(bos, first, suite.Day)
	suite.Same(t, once(bos, first, suite.Day), second)
	must(t, h.Links.RevokeShare(t.Context(), second, suite.Day))
	suite.Same(t, once(bos, 0, suite.Day), first)
	late := once(bos, 0, suite.Day.Add(time.Hour)) // the first one has ended
	if ids := []int64{first, anns, story, other, second, late}; !slices.IsSorted(ids) || len(slices.Compact(ids)) != 6 {
		t.Errorf("the links are %v", ids)
	}
}

func TestALinkIsChanged(t *testing.T) {
	h := newTeam(t)
	s := gallery.Share{Token: "one", TaskID: h.Anns, CreatedBy: h.Ann.ID, Title: "Boat", CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, h.Links.AddShare(t.Context(), &s))
	made, err := h.Links.Share(t.Context(), s.ID)
	must(t, err)
	if made.May != gallery.Look || made.Download || made.Takes || made.Named || made.Password != "" || made.Welcome != "" {
		t.Errorf("made with settings %+v", made)
	}
	settle := func(s *gallery.Share) {
		s.Title, s.ExpiresAt = " For  Mara ", suite.Day.Add(2*time.Hour)
		s.May, s.Password, s.Download, s.Takes, s.Welcome = gallery.Decide, "a hash", true, true, " Hello \n Mara "
	}
	must(t, h.Links.ChangeShare(t.Context(), s.ID, suite.Day, settle))
	changed, err := h.Links.Share(t.Context(), s.ID)
	must(t, err)
	suite.Same(t, changed.Title, "For Mara")
	suite.Same(t, changed.ExpiresAt, suite.Day.Add(2*time.Hour))
	if changed.May != gallery.Decide || changed.Password != "a hash" || !changed.Download || !changed.Takes || !changed.Named || changed.Welcome != "Hello \n Mara" {
		t.Errorf("changed to %+v", changed)
	}
	if _, _, err := h.Links.OpenShare(t.Context(), "one", gallery.Opening{}, suite.Day.Add(90*time.Minute)); err != nil {
		t.Errorf("it ends as before: %v", err)
	}
	entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: audit.ShareChanged, Limit: 9})
	must(t, err)
	if len(entries) != 1 || !strings.Contains(entries[0].After, "guests may decide, with a password, with downloads, with other takes") || strings.Contains(entries[0].After, "hash") {
		t.Errorf("the audit has %+v", entries)
	}
	late := func(s *gallery.Share) { s.ExpiresAt = suite.Day.Add(9 * time.Hour) }
	suite.Wants(t, h.Links.ChangeShare(t.Context(), s.ID, suite.Day.Add(2*time.Hour), late), db.ErrNotFound)
	suite.Wants(t, h.Links.ChangeShare(t.Context(), 99999, suite.Day, late), db.ErrNotFound)
	must(t, h.Links.RevokeShare(t.Context(), s.ID, suite.Day))
	suite.Wants(t, h.Links.ChangeShare(t.Context(), s.ID, suite.Day, late), db.ErrNotFound)
}

// Everybody who sees a video sees the links to it, so one person must not add any
// number of them.
func TestAVideoHasALimitedNumberOfLinks(t *testing.T) {
	h := newTeam(t)
	c := gallery.Collection{Name: "Trailer", CreatedBy: h.Ann.ID, CreatedAt: suite.Day}
	must(t, h.Collections.AddCollection(t.Context(), &c))
	add := func(s gallery.Share, now time.Time) (gallery.Share, error) {
		s.Token, s.CreatedBy, s.CreatedAt, s.ExpiresAt = secrets.NewToken(), h.Ann.ID, now, now.Add(time.Hour)
		err := h.Links.AddShare(t.Context(), &s)
		return s, err
	}
	for _, to := range []gallery.Share{{TaskID: h.Anns}, {CollectionID: c.ID}} {
		var last gallery.Share
		for range gallery.MaxShares {
			var err error
			last, err = add(to, suite.Day)
			must(t, err)
		}
		_, err := add(to, suite.Day)
		suite.Wants(t, err, db.ErrFull)
		must(t, h.Links.RevokeShare(t.Context(), last.ID, suite.Day))
		_, err = add(to, suite.Day)
		must(t, err)
		_, err = add(to, suite.Day.Add(time.Hour)) // the others have expired
		must(t, err)
	}
}
