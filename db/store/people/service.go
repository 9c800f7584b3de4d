package people

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
	"dailies/db/team"
)

// Services stores which video service the team uses, and which it has used.
type Services struct {
	db *teamdb.DB
}

// The settings about the service.
const (
	// chosenService has the address of the service that an admin has connected in the
	// browser; empty for practice mode.
	chosenService = "video service"
	// fixedService has the address that the settings of the program name; empty if they
	// name none.
	fixedService = "video service of the settings"
)

// Chosen returns the address of the service that an admin has connected in the browser, or
// an empty string.
func (s *Services) Chosen(ctx context.Context) (string, error) {
	return engine.Read(ctx, s.db, chosenService, func(tx *engine.Tx) string { return teamdb.Setting(tx, chosenService) })
}

// All returns the services, of which the team uses one, and the address that the settings of
// the program name, if they do.
func (s *Services) All(ctx context.Context) (all []db.Service, fixed string, err error) {
	look := s.db.Reading(ctx)
	all, fixed = teamdb.Services(look, `address <> ''`), teamdb.Setting(look, fixedService)
	return all, fixed, engine.About("video services", look.Err())
}

// Current returns the service that the team uses, and the address that the settings of the
// program name, if they do.
func (s *Services) Current(ctx context.Context) (current db.Service, fixed string, err error) {
	look := s.db.Reading(ctx)
	current, fixed = teamdb.Service(look), teamdb.Setting(look, fixedService)
	return current, fixed, engine.About(chosenService, look.Err())
}

// Services returns all services with what is under way at each.
func (s *Services) Services(ctx context.Context) ([]db.Service, error) {
	return engine.Read(ctx, s.db, "video services", func(tx *engine.Tx) []db.Service {
		all := teamdb.Services(tx, `address <> ''`)
		for i, service := range all {
			tx.Row(`
				SELECT (SELECT count(*) FROM tasks WHERE state = 'queued' AND service_id = $1),
					(SELECT count(*) FROM tasks WHERE state = 'sending' AND service_id = $1) +
					(SELECT count(*) FROM tasks WHERE state IN ('pending', 'processing') AND service_id = $1)`,
				service.ID).Scan(&all[i].Queued, &all[i].Running)
		}
		return all
	})
}

// Start makes the service current that a process starts with: the one that its settings
// name or, if fixed is empty, the one that an admin has chosen or, if there is none, the
// embedded one, which has the address practice. Beside another process, whose settings may
// name a service, one without such a setting changes nothing.
func (s *Services) Start(ctx context.Context, fixed, practice string, now time.Time) (current db.Service, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		named, chosen, others := teamdb.Setting(tx, fixedService), teamdb.Setting(tx, chosenService), s.db.Others(tx)
		if !tx.OK() {
			return
		}
		if named != fixed && (fixed != "" || len(others) == 0) {
			named = fixed
			teamdb.PutSetting(tx, fixedService, named)
		}
		address := cmp.Or(named, chosen, practice)
		makeCurrent(tx, address, address == practice, now)
		if named == address {
			tx.Exec(`UPDATE services SET held = 0 WHERE address = $1 AND held = 1`, address) // the settings confirm it
		}
		current = teamdb.Service(tx)
	})
	return current, engine.About(chosenService, err)
}

// makeCurrent makes the service with the address the current one, and enters it if it is
// new. The first service that is named here is the one that everything of earlier versions
// belongs to.
func makeCurrent(tx *engine.Tx, address string, practice bool, now time.Time) {
	var nameless int64
	if tx.Row(`SELECT id FROM services WHERE address = ''`).Find(&nameless) {
		tx.Exec(`UPDATE services SET address = $1, practice = $2, used_at = $3 WHERE id = $4`,
			address, practice, engine.Instant(now), nameless)
		tx.Exec(`UPDATE services SET held = 0 WHERE practice = 1 AND held = 1`) // practice mode costs nothing
	}
	was := teamdb.Service(tx)
	if !tx.OK() || was.Address == address {
		return
	}
	if was.Practice != practice {
		// Other credits count from now on, and nobody has been warned about these.
		tx.Exec(`UPDATE purses SET warned = 0, warned_of_team = 0, mailed = 0`)
	}
	tx.Exec(`UPDATE services SET current = 0 WHERE current = 1`)
	tx.Exec(`
		INSERT INTO services (address, practice, current, used_at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (address) DO UPDATE SET current = 1, used_at = excluded.used_at`, address, practice, engine.Instant(now))
	// People's own keys for the service of before are kept, and those for this one used.
	tx.Exec(`UPDATE keys SET kept_for = user_id, user_id = NULL WHERE user_id IS NOT NULL`)
	tx.Exec(`UPDATE keys SET user_id = kept_for, kept_for = NULL WHERE kept_for IS NOT NULL AND service_id = ` + schema.CurrentService)
}

// Connect makes the team use the service with the address, with the key as its standard key.
// seal has to return the sealed key. It returns db.ErrConflict if the settings of the
// program name a service, or if the team does not use the service was any more.
func (s *Services) Connect(ctx context.Context, was int64, address string, k *team.Key, seal Sealer) error {
	return engine.About(chosenService, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		s.choose(tx, was, address, false, k.CreatedAt)
		tx.Exec(`UPDATE services SET held = 0 WHERE held = 1`)
		addStandardKey(tx, k, seal)
	}))
}

// Practise makes the team use the embedded service, which has the address. If the team has
// no standard key for it, k becomes that. The errors are those of Connect.
func (s *Services) Practise(ctx context.Context, was int64, address string, k *team.Key, seal Sealer) error {
	return engine.About(chosenService, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		s.choose(tx, was, address, true, k.CreatedAt)
		if has := tx.Count(`SELECT 1 FROM team_keys WHERE standard = 1 AND service_id = ` + schema.CurrentService); tx.OK() && has == 0 {
			addStandardKey(tx, k, seal)
		}
	}))
}

// Confirm lets the services be called that came with a backup.
func (s *Services) Confirm(ctx context.Context) error {
	return engine.About(chosenService, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		for _, held := range teamdb.Services(tx, `held = 1`) {
			teamdb.Record(tx, audit.Entry{Action: audit.ServiceChanged, What: chosenService,
				Before: fmt.Sprintf("%s, from a backup", held.Address), After: held.Address})
		}
		tx.Exec(`UPDATE services SET held = 0 WHERE held = 1`)
	}))
}

// choose makes the service with the address current, by an admin's choice.
func (s *Services) choose(tx *engine.Tx, was int64, address string, practice bool, now time.Time) {
	before := teamdb.Service(tx)
	tx.Require(teamdb.Setting(tx, fixedService) == "" && before.ID == was, db.ErrConflict)
	chosen := address
	if practice {
		chosen = ""
	}
	teamdb.PutSetting(tx, chosenService, chosen)
	makeCurrent(tx, address, practice, now)
	if tx.OK() && before.Address != address {
		teamdb.Record(tx, audit.Entry{Action: audit.ServiceChanged, What: chosenService, Before: before.Address, After: address})
	}
}
