package proof_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
)

// steps lists the calls from which a history chooses. Those that are listed several
// times are chosen more often.
var steps = []func(h *history){
	(*history).film, (*history).film, (*history).film, (*history).film,
	func(h *history) { h.add(h.task(h.person())) },
	func(h *history) {
		u := h.person()
		h.add(some(h, 3, func() db.Task { return h.task(u) })...)
	},
	(*history).move, (*history).move, (*history).move, (*history).move,
	(*history).send, (*history).claim, (*history).resend,
	(*history).organise, (*history).organise, (*history).organise, (*history).organise,
	(*history).title,
	(*history).bin, (*history).bin,
	(*history).collect, (*history).collect, (*history).collect,
	(*history).share, (*history).recipe, (*history).recipe, (*history).picture,
	(*history).account, (*history).settings, (*history).notices, (*history).govern, (*history).govern,
	func(h *history) { h.ask(h.n(len(questions))) },
	func(h *history) { h.browse() },
}

// move tries to take a task one step further.
func (h *history) move() {
	id, next := h.id(), h.now.Add(time.Duration(h.n(60))*time.Second)
	answer := db.Answer{Call: one(h, "create", "query"), Status: one(h, "", "pending", "success"), HTTP: 200, Body: h.text(), At: h.now}
	report := h.report(id, one(h, db.Pending, db.Processing, db.Success, db.Success, db.Failed, db.Canceled, "strange"))
	files, whole, message := h.files(id), h.flag(), h.text()
	change := one(h,
		func(t *db.Task) error { return t.Begin(h.now) },
		func(t *db.Task) error { return t.Accept(report, h.now, next) },
		func(t *db.Task) error { return errors.Join(t.Begin(h.now), t.Accept(report, h.now, next)) },
		func(t *db.Task) error { return t.Report(report, h.now, next) },
		func(t *db.Task) error { return t.Report(report, h.now, next) },
		func(t *db.Task) error { return t.Reject(db.CreditsError, message, h.now) },
		func(t *db.Task) error { return t.PutBack(message, next) },
		func(t *db.Task) error { return t.Lose(message, h.now) },
		func(t *db.Task) error { return t.Decide(h.now) },
		func(t *db.Task) error { return t.Retry(db.ServiceError, message, next) },
		func(t *db.Task) error { return t.Keep(files, whole) },
		func(t *db.Task) error { return t.FailCopy(db.SpaceError, message, h.now, next) },
		func(t *db.Task) error { return t.Gone(h.now, next) },
		func(t *db.Task) error { return t.LoseFiles(message) },
		func(t *db.Task) error { return t.KeepAgain(h.now) },
		func(t *db.Task) error {
			return t.TakeCover(db.Media{Hash: fmt.Sprintf("%064x", 300), Type: "image/jpeg", CreatedAt: h.now})
		},
		func(t *db.Task) error {
			for i := range t.Media {
				t.Media[i].LostAt = h.now
			}
			return nil
		},
		func(t *db.Task) error { return fmt.Errorf("refused") },
	)
	h.update("move", id, change, some(h, 1, func() db.Answer { return answer })...)
}

func (h *history) key(u db.User) secrets.Key {
	return secrets.Key{UserID: u.ID, Sealed: []byte(one(h, "x", "\x00\xff")), LastFour: "1234", Fingerprint: []byte(one(h, "one", "other")), CreatedAt: h.now}
}

// send begins a create call, or gives a task the ID of a call whose answer was
// lost.
func (h *history) send() {
	id, k := h.id(), h.key(h.person())
	remote := fmt.Sprint("remote ", h.id())
	h.do("send", func(ctx context.Context, s *store.Store) (any, error) {
		return s.Calls.SendTask(ctx, "one", id, k, h.now)
	})
	if h.flag() {
		h.do("follow", func(ctx context.Context, s *store.Store) (any, error) {
			return s.Calls.FollowTask(ctx, id, remote, k, func(t *db.Task) error { return t.Follow(remote, h.now) })
		})
	}
}

// claim claims due tasks, as one of two workers.
func (h *history) claim() {
	owner, free := one(h, "one", "other"), schedule.Capacity{Send: h.n(4), Query: h.n(4), Keep: h.n(4), Held: some(h, 2, h.id)}
	h.do("claim", func(ctx context.Context, s *store.Store) (any, error) {
		return s.Leases.Claim(ctx, owner, h.now, h.now.Add(time.Minute), free)
	})
	id := h.id()
	h.do("renew", func(ctx context.Context, s *store.Store) (any, error) {
		return nil, s.Leases.Renew(ctx, owner, id, h.now.Add(time.Hour))
	})
	h.do("job", func(ctx context.Context, s *store.Store) (any, error) {
		return s.Leases.TakeJob(ctx, "a job", owner, h.now, h.now.Add(time.Hour))
	})
	switch h.n(6) {
	case 0:
		h.do("end of a call", func(ctx context.Context, s *store.Store) (any, error) {
			t, err := s.Tasks.Task(ctx, id)
			if err != nil {
				return nil, err
			}
			return nil, s.Calls.EndCall(ctx, id, t.SentAt)
		})
	case 1:
		h.do("end of a lease", func(ctx context.Context, s *store.Store) (any, error) { return nil, s.Leases.EndLease(ctx, owner, id) })
	case 2:
		h.do("recover", func(ctx context.Context, s *store.Store) (any, error) { return s.Leases.Recover(ctx, h.now, id) })
	case 3:
		h.do("unstick", func(ctx context.Context, s *store.Store) (any, error) {
			return s.Unstick(ctx, owner, h.now, time.Hour, 2*time.Minute, free.Held)
		})
	}
}

func (h *history) resend() {
	id, u := h.id(), h.person()
	t := h.task(u)
	t.ParentID, t.Reuse = id, db.Retried
	kept, _ := h.do("resend", func(ctx context.Context, s *store.Store) (any, error) {
		return s.ResendTasks(ctx, id, []db.Task{t}, h.now)
	}).([]db.Task)
	for _, t := range kept {
		h.tasks = max(h.tasks, int(t.ID))
	}
}

// organise stars, tags or hides tasks.
func (h *history) organise() {
	u, ids, on := h.person(), some(h, 4, h.id), h.flag()
	tag := func() string { return one(h, tagNames...) }
	add, remove := some(h, 3, tag), some(h, 1, tag)
	change := one(h,
		func(ctx context.Context, s *store.Store) ([]int64, error) { return s.Tasks.StarTasks(ctx, u, ids, on) },
		func(ctx context.Context, s *store.Store) ([]int64, error) {
			return s.Tasks.PrivateTasks(ctx, u, ids, on)
		},
		func(ctx context.Context, s *store.Store) ([]int64, error) {
			return s.Tags.TagTasks(ctx, u, ids, add, remove, h.now)
		},
		func(ctx context.Context, s *store.Store) ([]int64, error) {
			return s.Tags.TagTasks(ctx, u, ids, add, remove, h.now)
		},
	)
	h.do("organise", func(ctx context.Context, s *store.Store) (any, error) { return change(ctx, s) })
	if h.n(4) == 0 {
		cuts := some(h, 3, func() gallery.Cut { return gallery.Cut{TaskID: h.id(), Start: h.n(9), Finish: h.n(9)} })
		h.do("cuts", func(ctx context.Context, s *store.Store) (any, error) { return nil, s.Lineage.SetCuts(ctx, cuts) })
	}
}

func (h *history) title() {
	u, id, title := h.person(), h.id(), h.text()
	h.do("title", func(ctx context.Context, s *store.Store) (any, error) {
		return nil, s.Tasks.TitleTask(ctx, u, id, title)
	})
}

// bin deletes, restores or purges tasks.
func (h *history) bin() {
	u, ids, later := h.person(), some(h, 4, h.id), h.now.Add(time.Duration(h.n(40))*24*time.Hour)
	what := h.n(7)
	h.do(fmt.Sprint("bin ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0:
			return s.Bin.RestoreTasks(ctx, u, ids)
		case 1:
			return s.Bin.EmptyBin(ctx, u.ID, h.now, h.now, 2)
		case 2:
			gone, n, err := s.Bin.Purge(ctx, later, 3)
			return []any{gone, n}, err
		case 3:
			return s.Clock.Tick(ctx, later, time.Hour)
		}
		return s.Bin.DeleteTasks(ctx, u, ids, h.now)
	})
}

// collect adds or changes collections.
func (h *history) collect() {
	u, id, ids, name, note := h.person(), h.small(), some(h, 4, h.id), one(h, collections...), h.text()
	earlier, what := h.flag(), h.n(9)
	h.do(fmt.Sprint("collect ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0, 1:
			c := gallery.Collection{Name: name, Note: note, CreatedBy: u.ID, CreatedAt: h.now}
			err := s.Collections.AddCollection(ctx, &c)
			return c, err
		case 2:
			return nil, s.Collections.SetCollection(ctx, id, name, note, h.now)
		case 3:
			return nil, s.Collections.DeleteCollection(ctx, id, u.ID, h.now)
		case 4:
			return s.Collections.RestoreCollection(ctx, id)
		case 5:
			return s.Collections.RemoveFromCollection(ctx, id, u.ID, ids, h.now)
		case 6:
			return nil, s.Collections.MoveInCollection(ctx, id, u.ID, append(ids, 1)[0], earlier, h.now)
		}
		return s.Collections.AddToCollection(ctx, id, u.ID, ids, h.now)
	})
}

func (h *history) share() {
	token := strings.Repeat(fmt.Sprint(h.steps), 30)[:26]
	share := gallery.Share{Token: token, Sealed: []byte("x"), Title: h.text(), CreatedBy: h.person().ID, CreatedAt: h.now, ExpiresAt: h.now.Add(time.Duration(h.n(30)) * time.Hour)}
	switch h.n(5) {
	case 0:
		share.CollectionID = h.small()
	case 1:
		id := h.small()
		h.do("revoke", func(ctx context.Context, s *store.Store) (any, error) {
			return nil, s.Links.RevokeShare(ctx, id, h.now)
		})
		return
	default:
		share.TaskID = h.id()
	}
	h.do("share", func(ctx context.Context, s *store.Store) (any, error) {
		share := share
		err := s.Links.AddShare(ctx, &share)
		return share, err
	})
	h.shares = append(h.shares, token)
}
