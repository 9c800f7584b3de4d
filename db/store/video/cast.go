package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Cast stores the people, products, places and styles of the team's videos.
type Cast struct {
	db *teamdb.DB
}

// Errors of changes to the cast.
var (
	// ErrHandleTaken says that another cast member has the handle.
	ErrHandleTaken = fmt.Errorf("the handle is taken: %w", db.ErrConflict)
	// ErrMemberChanged says that somebody has changed the cast member meanwhile.
	ErrMemberChanged = fmt.Errorf("the cast member has changed: %w", db.ErrConflict)
	// ErrMemberDeleted says that somebody has deleted the cast member.
	ErrMemberDeleted = fmt.Errorf("the cast member is deleted: %w", db.ErrConflict)
	// ErrNoPicture says that an uploaded picture of the cast member is gone.
	ErrNoPicture = fmt.Errorf("a picture is gone: %w", db.ErrConflict)
)

func member(id int64) string { return fmt.Sprintf("cast member %d", id) }

var memberByID = `SELECT ` + schema.Members.Columns + ` FROM cast_members c WHERE c.id = $1`

func loadMember(tx *engine.Tx, id int64) cast.Member {
	return engine.One(tx, schema.Members.Scan(), memberByID, id)
}

// Get returns the cast member, even if it is deleted.
func (s *Cast) Get(ctx context.Context, id int64) (cast.Member, error) {
	return engine.Read(ctx, s.db, member(id), func(tx *engine.Tx) cast.Member { return loadMember(tx, id) })
}

// List returns the whole cast, without deleted members, by kind and name.
func (s *Cast) List(ctx context.Context) ([]cast.Member, error) {
	return engine.Read(ctx, s.db, "cast", listCast)
}

var allMembers = `SELECT ` + schema.Members.Columns + ` FROM cast_members c WHERE c.deleted_at IS NULL`

func listCast(tx *engine.Tx) []cast.Member {
	return sortCast(engine.All(tx, schema.Members.Scan(), allMembers))
}

// Names returns the whole cast as List does, but only with what a list of names needs: IDs,
// handles, names and kinds.
func (s *Cast) Names(ctx context.Context) ([]cast.Member, error) {
	list, err := engine.ReadAll(ctx, s.db.Reads, "names of the cast", engine.ScanFields(func(m *cast.Member) []any {
		return []any{&m.ID, &m.Handle, (*engine.Named)(&m.Name), &m.Kind}
	}), `SELECT id, handle, name, kind FROM cast_members WHERE deleted_at IS NULL`)
	return sortCast(list), err
}

// sortCast sorts the members by kind and name.
func sortCast(list []cast.Member) []cast.Member {
	slices.SortFunc(list, func(a, b cast.Member) int {
		return cmp.Or(
			cmp.Compare(slices.Index(cast.Kinds(), a.Kind), slices.Index(cast.Kinds(), b.Kind)),
			strings.Compare(naming.Key(a.Name), naming.Key(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Find returns the cast members that fit what was typed, by kind and name, but first those
// whose handle begins with it: in the others, every word of it is the beginning of a word in
// the name or the handle. An empty text fits all, and so does an empty kind.
func (s *Cast) Find(ctx context.Context, typed string, kind cast.Kind) ([]cast.Member, error) {
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	begins := cast.Fold(cast.CleanHandle(typed))
	var first, others []cast.Member
	for _, m := range list {
		name := teamdb.NameOf(m.ID, m.Name+" "+m.Handle)
		switch {
		case kind != "" && m.Kind != kind:
		case strings.HasPrefix(m.Fold(), begins):
			first = append(first, m)
		case len(teamdb.Found([]teamdb.Name{name}, typed)) > 0:
			others = append(others, m)
		}
	}
	return append(first, others...), nil
}

var membersByHandle = `
	SELECT ` + schema.Members.Columns + `
	FROM json_each($1) wanted JOIN cast_members c ON c.fold = wanted.value AND c.deleted_at IS NULL
	ORDER BY c.id`

// ByHandles returns the cast members whose handles have one of the keys, as cast.Fold
// returns them. Deleted members have no handle.
func (s *Cast) ByHandles(ctx context.Context, folds []string) ([]cast.Member, error) {
	return engine.ReadAll(ctx, s.db.Reads, "cast by handles", schema.Members.Scan(), membersByHandle, engine.AsJSON(&folds))
}

var membersByID = `
	SELECT ` + schema.Members.Columns + ` FROM json_each($1) wanted JOIN cast_members c ON c.id = CAST(wanted.value AS BIGINT)
	ORDER BY c.id`

// ByIDs returns the cast members with the IDs, even if they are deleted.
func (s *Cast) ByIDs(ctx context.Context, ids []int64) ([]cast.Member, error) {
	return engine.ReadAll(ctx, s.db.Reads, "cast members", schema.Members.Scan(), membersByID, engine.AsJSON(&ids))
}

var deletedMembers = `
	SELECT ` + schema.Members.Columns + ` FROM cast_members c WHERE c.deleted_at IS NOT NULL ORDER BY c.deleted_at DESC, c.id DESC`

// Deleted returns the members that can be restored, the last deleted first.
func (s *Cast) Deleted(ctx context.Context) ([]cast.Member, error) {
	return engine.ReadAll(ctx, s.db.Reads, "deleted cast members", schema.Members.Scan(), deletedMembers)
}

var addedMember = schema.Members.Part(schema.Added)

var insertMember = `
	INSERT INTO cast_members (fold, ` + addedMember.Names + `) VALUES ($1, ` + addedMember.Places(2) + `)
	RETURNING id`

// Create adds the cast member, which has no faults, and sets its ID. own are the uploaded
// pictures among its pictures, with the Token and Sealed of addresses that were made for it.
// It returns ErrHandleTaken, ErrNoPicture, or db.ErrFull if the team has cast.MaxMembers.
func (s *Cast) Create(ctx context.Context, m *cast.Member, own []ordering.Picture) error {
	added := m.Cleaned()
	err := s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		isFreeHandle(tx, added)
		notedBy(tx, &added, cast.Consent{}, added.CreatedBy)
		added.Version, added.ChangedBy, added.ChangedAt = 1, added.CreatedBy, added.CreatedAt
		tx.Insert(&added.ID, insertMember, addedMember.Values(&added, added.Fold())...)
		fewMembers(tx)
		openAddresses(tx, added, own, added.CreatedAt)
		if added = loadMember(tx, added.ID); tx.OK() {
			teamdb.Record(tx, audit.Entry{Action: audit.CastMade, What: castName(added), After: string(added.Kind)})
		}
	})
	if err == nil {
		*m = added
	}
	return engine.About("cast member of "+engine.User(m.CreatedBy), err)
}

// Change gives the cast member with the ID of m the other fields of m, which has no faults,
// if m.Version is still its version. m.ChangedBy and m.ChangedAt say who changes it, and
// when. For own see Create. It returns the member as it is stored, and, beside the errors of
// Create, ErrMemberChanged or ErrMemberDeleted.
func (s *Cast) Change(ctx context.Context, m cast.Member, own []ordering.Picture) (cast.Member, error) {
	m = m.Cleaned()
	err := s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		about := tx.About(member(m.ID))
		before := loadMember(about, m.ID)
		about.Require(!before.IsDeleted(), ErrMemberDeleted)
		about.Require(before.Version == m.Version, ErrMemberChanged)
		isFreeHandle(about, m)
		notedBy(tx, &m, before.Consent, m.ChangedBy)
		about.Exec(`
			UPDATE cast_members SET handle = $1, fold = $2, name = $3, kind = $4, look = $5, pictures = $6, consent_by = $7, consent_on = $8, noted_by = nullif(CAST($9 AS BIGINT), 0),
				version = version + 1, changed_by = $10, changed_at = $11
			WHERE id = $12`,
			m.Handle, m.Fold(), m.Name, m.Kind, m.Look, engine.AsJSON(&m.Pictures), m.Consent.By,
			engine.Instant(m.Consent.On), m.Consent.NotedBy,
			m.ChangedBy, engine.Instant(m.ChangedAt), m.ID)
		openAddresses(about, m, own, m.ChangedAt)
		if m = loadMember(about, m.ID); tx.OK() {
			teamdb.Record(tx, audit.Entry{
				Action: audit.CastChanged, What: castName(m), Before: castName(before), After: changes(before, m),
			})
		}
	})
	return m, err
}

// Delete deletes the cast member: its handle is free, and the addresses of its pictures end
// with the last video that was submitted with it. It returns ErrMemberDeleted if that was
// done before.
func (s *Cast) Delete(ctx context.Context, id, by int64, now time.Time) error {
	return s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		about := tx.About(member(id))
		m := loadMember(about, id)
		about.Require(!m.IsDeleted(), ErrMemberDeleted)
		about.Exec(
			`UPDATE cast_members SET deleted_at = $1, deleted_by = nullif(CAST($2 AS BIGINT), 0), version = version + 1 WHERE id = $3`,
			engine.Instant(now), by, id,
		)
		about.Exec(`UPDATE picture_tokens SET ended_at = $1 WHERE member_id = $2 AND ended_at IS NULL`, engine.Instant(now), id)
		if tx.OK() {
			teamdb.Record(tx, audit.Entry{Action: audit.CastDeleted, What: castName(m)})
		}
	})
}

// Restore brings the deleted cast member back. It returns db.ErrConflict if it is not
// deleted, ErrHandleTaken if another one has its handle by now, and db.ErrFull.
func (s *Cast) Restore(ctx context.Context, id int64, now time.Time) error {
	return s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		about := tx.About(member(id))
		m := loadMember(about, id)
		about.Require(m.IsDeleted(), db.ErrConflict)
		isFreeHandle(about, m)
		about.Exec(`UPDATE cast_members SET deleted_at = NULL, deleted_by = NULL, version = version + 1 WHERE id = $1`, id)
		fewMembers(about)
		openAddresses(about, cast.Member{ID: id, Pictures: stillThere(about, m.Pictures)}, nil, now)
		if tx.OK() {
			teamdb.Record(tx, audit.Entry{Action: audit.CastRestored, What: castName(m)})
		}
	})
}

// SweepCast removes the members that were deleted cast.Life ago, and returns how many.
func (s *Cast) SweepCast(ctx context.Context, now time.Time) (n int, err error) {
	n, err = s.db.Exec(ctx, `DELETE FROM cast_members WHERE deleted_at <= $1`, engine.Instant(now.Add(-cast.Life)))
	return n, engine.About("deleted cast members", err)
}

// isFreeHandle fails with ErrHandleTaken if another member has the handle of m.
func isFreeHandle(tx *engine.Tx, m cast.Member) {
	others := tx.Count(`SELECT 1 FROM cast_members WHERE fold = $1 AND deleted_at IS NULL AND id <> $2`, m.Fold(), m.ID)
	tx.Require(others == 0, ErrHandleTaken)
}

// fewMembers fails with db.ErrFull if the team has more than cast.MaxMembers.
func fewMembers(tx *engine.Tx) {
	tx.Require(tx.Count(`SELECT 1 FROM cast_members WHERE deleted_at IS NULL`) <= cast.MaxMembers, db.ErrFull)
}

// notedBy says who recorded the consent of m: the person, unless it was there before.
func notedBy(tx *engine.Tx, m *cast.Member, before cast.Consent, by int64) {
	switch {
	case !tx.OK():
	case !m.Consent.Noted():
		m.Consent = cast.Consent{}
	case m.Consent.Same(before):
		m.Consent.NotedBy = before.NotedBy
	default:
		m.Consent.NotedBy = by
	}
}

// openAddresses adds the addresses that were made for the member, and opens those of its
// pictures: others that were made for it end. It fails with ErrNoPicture if one of its
// uploaded pictures is gone.
func openAddresses(tx *engine.Tx, m cast.Member, own []ordering.Picture, now time.Time) {
	for _, p := range own {
		addToken(tx, p)
		tx.Exec(`UPDATE picture_tokens SET member_id = $1 WHERE token = $2`, m.ID, engine.Digest(secrets.HashToken(p.Token)))
	}
	tx.Exec(`UPDATE picture_tokens SET ended_at = $1 WHERE member_id = $2 AND ended_at IS NULL`, engine.Instant(now), m.ID)
	for _, address := range m.Pictures {
		if token := ordering.PictureToken(address); token != "" {
			digest := engine.Digest(secrets.HashToken(token))
			tx.Exec(`UPDATE picture_tokens SET ended_at = NULL WHERE token = $1 AND member_id = $2`, digest, m.ID)
			tx.Require(tx.Count(`SELECT 1 FROM picture_tokens WHERE token = $1`, digest) > 0, ErrNoPicture)
		}
	}
}

// stillThere returns those of the addresses whose pictures are not gone.
func stillThere(tx *engine.Tx, addresses []string) (there []string) {
	for _, address := range addresses {
		token := ordering.PictureToken(address)
		found := token != "" && tx.Count(`SELECT 1 FROM picture_tokens WHERE token = $1`, engine.Digest(secrets.HashToken(token))) > 0
		if tx.OK() && found {
			there = append(there, address)
		}
	}
	return there
}

// castName is the name of a cast member in the audit.
func castName(m cast.Member) string { return naming.Isolate(m.Name) + " (" + m.At() + ")" }

// changes lists the fields that differ, for the audit, without what a prompt contains.
func changes(before, after cast.Member) string {
	var list []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"handle", before.Handle == after.Handle}, {"name", before.Name == after.Name},
		{"kind", before.Kind == after.Kind}, {"look", before.Look == after.Look},
		{"pictures", slices.Equal(before.Pictures, after.Pictures)}, {"consent", before.Consent.Same(after.Consent)},
	} {
		if !field.same {
			list = append(list, field.name)
		}
	}
	return strings.Join(list, ", ")
}

var addedAppearance = schema.Appearances.Part(schema.Added)

// addAppearances stores the cast of a task that is being added.
func addAppearances(tx *engine.Tx, taskID int64, list []cast.Appearance) {
	for place, a := range list {
		a.TaskID = taskID
		tx.Exec(`
			INSERT INTO task_cast (place, `+addedAppearance.Names+`) VALUES ($1, `+addedAppearance.Places(2)+`)
			ON CONFLICT DO NOTHING`,
			addedAppearance.Values(&a, place)...)
	}
}

// Of returns the cast of the tasks, as it was when they were submitted: by task, in the order
// in which prompts name it.
func (s *Cast) Of(ctx context.Context, taskIDs ...int64) ([]cast.Appearance, error) {
	return engine.ReadAll(ctx, s.db.Reads, "cast of tasks", schema.Appearances.Scan(), `
		SELECT `+schema.Appearances.Columns+`
		FROM json_each($1) wanted JOIN task_cast a ON a.task_id = CAST(wanted.value AS BIGINT)
		ORDER BY wanted.key, a.place`, engine.AsJSON(&taskIDs))
}

// mostUses is how many videos with a cast member are counted; one more means "more".
const mostUses = 1000

// Uses returns how many finished videos with each of the cast members the viewer may see, by
// the member's ID. More than 1,000 are counted as one more than that.
func (s *Cast) Uses(ctx context.Context, viewer int64, members []int64) (map[int64]int, error) {
	return engine.Read(ctx, s.db, "videos with the cast", func(tx *engine.Tx) map[int64]int {
		type use struct {
			id int64
			n  int
		}
		uses := map[int64]int{}
		if len(members) == 0 {
			return uses
		}
		for _, u := range engine.All(tx, engine.ScanFields(func(u *use) []any { return []any{&u.id, &u.n} }), `
			SELECT CAST(wanted.value AS BIGINT), (SELECT count(*) FROM (
				SELECT 1 FROM task_cast a JOIN gallery g ON g.id = a.task_id
				WHERE a.member_id = CAST(wanted.value AS BIGINT) AND g.state = 'success' AND `+visible+`
				LIMIT $3 + 0) seen)
			FROM json_each($2) wanted`, viewer, engine.AsJSON(&members), mostUses+1) {
			uses[u.id] = u.n
		}
		return uses
	})
}

// consentSetting is the setting that says whether the consent of a person has to be noted
// before videos are made with them.
const consentSetting = "consent for the cast"

const consentRequired = "required"

// RequiresConsent reports whether the team requires that the consent of a person is noted
// before videos are made with them.
func (s *Cast) RequiresConsent(ctx context.Context) (bool, error) {
	return engine.Read(ctx, s.db, consentSetting, func(tx *engine.Tx) bool { return teamdb.Setting(tx, consentSetting) == consentRequired })
}

// RequireConsent changes that.
func (s *Cast) RequireConsent(ctx context.Context, required bool, now time.Time) error {
	return engine.About(consentSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		after, before := "", teamdb.Setting(tx, consentSetting)
		if required {
			after = consentRequired
		}
		if !tx.OK() || before == after {
			return
		}
		teamdb.PutSetting(tx, consentSetting, after)
		word := map[string]string{"": "not required", consentRequired: consentRequired}
		teamdb.Record(tx, audit.Entry{
			At: now, Action: audit.SettingChanged, What: consentSetting, Before: word[before], After: word[after],
		})
	}))
}
