package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"dailies/db/media"
	"dailies/db/store"
)

// A Bin deletes for good what has been in the bin long enough, and sessions and
// links for new passwords that have expired. It gives the e-mail addresses of accounts
// free that were closed for long enough. NewBin makes one.
type Bin struct {
	store *store.Store
	media *media.Store
	log   *slog.Logger
}

// NewBin returns a bin for the tasks of the store and their files.
func NewBin(s *store.Store, files *media.Store, log *slog.Logger) *Bin { return &Bin{s, files, log} }

const (
	firstEmptied = time.Minute // after the start
	emptiedEvery = 10 * time.Minute

	// So many tasks are purged with one write, which holds up every other.
	purgedAtOnce = 20

	// A file stays for this long after the purge, because a backup may just
	// copy it; and after it was put here, because somebody may have copied it
	// anew, and be about to write that down.
	settled = 24 * time.Hour
)

// binJob names the work among those that one process does at a time: the trusted
// time is not to go on as often as there are processes.
const binJob = "bin"

// Run works until ctx ends, unless another process does.
func (b *Bin) Run(ctx context.Context) error {
	defer func() {
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		_ = b.store.EndJob(ending, binJob, b.store.Process()) // otherwise it runs out
	}()
	last := time.Now() // with the reading of a clock that never jumps
	for wait := firstEmptied; ; wait = emptiedEvery {
		sleep(ctx, wait)
		if ctx.Err() != nil {
			return nil
		}
		at, now := time.Now(), b.store.Now()
		mine, err := b.store.TakeJob(ctx, binJob, b.store.Process(), now, now.Add(2*emptiedEvery))
		if err == nil && mine {
			err = b.Beat(ctx, now, at.Sub(last))
		}
		if err != nil && ctx.Err() == nil {
			b.log.Error("cannot empty the bin; it will be tried again", "err", err)
		}
		last = at
	}
}

// Beat does a round after the program has run for the duration, when the
// machine's clock says now. A clock that has jumped is not believed at once: see
// db.Clock.
func (b *Bin) Beat(ctx context.Context, now time.Time, passed time.Duration) error {
	clock, err := b.store.Tick(ctx, now, passed)
	if err != nil {
		return err
	}
	return b.Round(ctx, clock.Due(now))
}

// Round purges what is due at the time, and removes the files that nothing
// refers to any more. What a stop cuts off is done by the next round.
func (b *Bin) Round(ctx context.Context, now time.Time) error {
	if err := errors.Join(b.store.SweepSessions(ctx, now), b.store.SweepMails(ctx, now), b.store.SweepAudit(ctx, now)); err != nil {
		return err
	}
	released, err := b.store.ReleaseAddresses(ctx, now)
	if err != nil {
		return err
	}
	if released > 0 {
		b.log.Info("the e-mail addresses of closed accounts were given free", "accounts", released)
	}
	purged := 0
	for n := purgedAtOnce; n == purgedAtOnce; purged += n {
		var err error
		if _, n, err = b.store.Purge(ctx, now, purgedAtOnce); err != nil {
			return err
		}
	}
	if purged > 0 {
		b.log.Info("the bin was emptied", "videos", purged)
	}
	unused, err := b.store.SweepPictures(ctx, now)
	if err != nil {
		return err
	}
	if unused > 0 {
		b.log.Info("pictures that nothing uses were removed", "pictures", unused)
	}
	left, err := b.store.Leftovers(ctx, now.Add(-settled))
	for _, hash := range left {
		if err == nil {
			err = b.store.DropLeftover(ctx, hash, func(ctx context.Context) (bool, error) { return b.media.RemoveOld(ctx, hash, now.Add(-settled)) })
		}
	}
	return err
}
