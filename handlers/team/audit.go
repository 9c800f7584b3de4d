package team

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/team"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
)

const (
	auditPage  = 50  // entries per page
	auditChunk = 500 // entries that an export reads per query
)

// ShowAudit lists the entries that match the URL's search, newest first.
func (t *Team) ShowAudit(w http.ResponseWriter, r *http.Request) error {
	return t.drawAudit(w, r, http.StatusOK, teamview.AuditPage{})
}

func (t *Team) drawAudit(w http.ResponseWriter, r *http.Request, status int, page teamview.AuditPage) error {
	search, err := t.auditSearch(r, &page)
	if err != nil {
		return err
	}
	search.Limit = auditPage + 1
	if page.Entries, err = t.audit.Entries(r.Context(), search); err != nil {
		return err
	}
	if len(page.Entries) > auditPage {
		page.Entries = page.Entries[:auditPage]
		page.Older = page.Entries[auditPage-1].ID
	}
	if page.Days == nil {
		days, err := t.audit.AuditDays(r.Context())
		if err != nil {
			return err
		}
		page.Days = teamview.NewAuditDays(days)
	}
	return t.pages.Draw(w, r, status, "Audit", teamview.ShowAudit(page))
}

// auditShown is how many entries the page of Security shows.
const auditShown = 10

// newestEntries returns the newest entries, for the page of Security.
func (t *Team) newestEntries(r *http.Request) (page teamview.AuditPage, err error) {
	page.Brief = true
	if page.Zone, err = t.settings.TimeZone(r.Context()); err != nil {
		return page, err
	}
	page.Entries, err = t.audit.Entries(r.Context(), audit.Search{Limit: auditShown})
	return page, err
}

// auditSearch parses the URL into a search, and fills in the page's form from it. Invalid
// values are ignored.
func (t *Team) auditSearch(r *http.Request, page *teamview.AuditPage) (s audit.Search, err error) {
	if page.Zone, err = t.settings.TimeZone(r.Context()); err != nil {
		return s, err
	}
	if s.Person, err = t.auditPerson(r, page); err != nil {
		return s, err
	}
	q := r.URL.Query()
	if noun := q.Get("noun"); slices.Contains(audit.Nouns(), noun) {
		s.Noun = noun
	}
	if s.Before, err = strconv.ParseInt(q.Get("before"), 10, 64); err != nil || s.Before < 0 {
		s.Before = 0
	}
	if s.From, err = time.ParseInLocation(time.DateOnly, q.Get("from"), page.Zone); err == nil {
		page.From = s.From.Format(time.DateOnly)
	}
	if s.Until, err = time.ParseInLocation(time.DateOnly, q.Get("until"), page.Zone); err == nil {
		page.Until = s.Until.Format(time.DateOnly)
		s.Until = s.Until.AddDate(0, 0, 1) // includes the last day
	}
	page.Person, page.Noun, page.Before = s.Person, s.Noun, s.Before
	return s, nil
}

const (
	nobody     = -1 // an ID that no user has
	maxFitting = 20 // users to choose from if a name matches several
)

// auditPerson returns the ID of the user whose entries are requested, by an ID or by words
// of a name or an e-mail address; 0 stands for everybody. If the words match no user or
// several, it returns nobody, and the page offers the users that they match.
func (t *Team) auditPerson(r *http.Request, page *teamview.AuditPage) (int64, error) {
	users, err := t.accounts.Users(r.Context())
	if err != nil {
		return 0, err
	}
	if page.Many = len(users) > team.MembersShown; !page.Many {
		page.Users = users
	}
	if page.Who = site.SearchWords(r, "who"); page.Who == "" {
		id := site.ParseID(r.URL.Query().Get("person"))
		if at := slices.IndexFunc(users, func(u db.User) bool { return u.ID == id }); at >= 0 && page.Many {
			page.Who = cmp.Or(users[at].Email, users[at].Name) // an account closed long ago has no e-mail address any more
		}
		return id, nil
	}
	found := team.FindUsers(users, page.Who)
	if at := slices.IndexFunc(found, func(u db.User) bool { return db.EmailKey(u.Email) == db.EmailKey(page.Who) }); at >= 0 {
		found = found[at : at+1]
	}
	if len(found) == 1 {
		page.Who = cmp.Or(found[0].Email, found[0].Name)
		return found[0].ID, nil
	}
	page.Found, page.Fitting = len(found), found[:min(len(found), maxFitting)]
	return nobody, nil
}

// ExportAudit sends the matching entries as a CSV file, newest first. The export itself is
// recorded, too.
func (t *Team) ExportAudit(w http.ResponseWriter, r *http.Request) error {
	var page teamview.AuditPage
	search, err := t.auditSearch(r, &page)
	if err != nil {
		return err
	}
	search.Limit = auditChunk
	entries, err := t.audit.Entries(r.Context(), search)
	if err != nil {
		return err
	}
	shown := url.Values{}
	for name, value := range page.Query("") {
		shown[name] = value
	}
	if err := t.audit.Record(r.Context(), audit.Entry{Action: audit.Exported, What: "audit.csv", After: shown.Encode()}); err != nil {
		return err
	}
	out := web.StartCSV(web.WithRollingDeadline(w), "audit.csv")
	_ = out.Write([]string{"at", "who", "who_id", "address", "action", "about", "about_id", "what", "before", "after",
		"who_kind", "who_now", "who_email", "about_now", "about_email"})
	for {
		for _, e := range entries {
			_ = out.Write(row(e))
		}
		if out.Flush(); out.Error() != nil || len(entries) < auditChunk {
			return nil // all entries are written, or the client closed the connection
		}
		search.Before = entries[len(entries)-1].ID
		if entries, err = t.audit.Entries(r.Context(), search); err != nil {
			panic(http.ErrAbortHandler) // a truncated file must not look complete
		}
	}
}

func row(e audit.Entry) []string {
	id := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	cells := []string{
		e.At.UTC().Format(time.RFC3339), teamview.Actor(e), id(e.Actor.UserID), e.Actor.Address, string(e.Action),
		naming.Clean(e.User), id(e.UserID), naming.Clean(e.What), naming.Clean(e.Before), naming.Clean(e.After),
		string(e.Actor.Kind()), naming.Clean(e.ActorNow.Name), e.ActorNow.Email, naming.Clean(e.UserNow.Name), e.UserNow.Email,
	}
	for i, c := range cells {
		cells[i] = format.Cell(c)
	}
	return cells
}

// SaveAuditDays changes for how many days entries are kept.
func (t *Team) SaveAuditDays(w http.ResponseWriter, r *http.Request) error {
	field := teamview.NewAuditDays(0)
	if !site.ReadForm(r, field) {
		return t.drawAudit(w, r, http.StatusUnprocessableEntity, teamview.AuditPage{Days: field})
	}
	days, _ := strconv.Atoi(field.Value) // is a number by the field's rule
	err := t.audit.SetAuditDays(r.Context(), days)
	return t.pages.Done(w, r, err, "/audit", auditShortened)
}
