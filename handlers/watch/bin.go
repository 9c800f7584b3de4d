package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"dailies/db/media"
	"dailies/db/store"
)

// A Bin deletes for good the tasks that have been in the bin long enough, and expired
// sessions and password links. It also releases the e-mail addresses of accounts that
// have been closed for long enough. NewBin returns a usable one.
type Bin struct {
	store *store.Store
	media *media.Store
	log   *slog.Logger
}

// NewBin returns a Bin for the tasks in the store and their files.
func NewBin(s *store.Store, files *media.Store, log *slog.Logger) *Bin { return &Bin{s, files, log} }

const (
	firstEmptied = time.Minute // after the start
	emptiedEvery = 10 * time.Minute

	// purgeBatch is the number of tasks that one write purges. It is small because
	// every other write waits meanwhile. With a million tasks, changing the search index
	// takes most of the time.
	purgeBatch = 5

	// purgePause is the pause between two such writes.
	purgePause = 10 * time.Millisecond

	// fileGrace is how long a file stays after its last reference was purged, because
	// a backup may be copying it, and after it was stored, because a writer may be
	// about to refer to it.
	fileGrace = 24 * time.Hour
)

// binJob is the name of the lease that lets only one process at a time run the Bin;
// otherwise the trusted clock would advance once for every process.
const binJob = "bin"

// Run works until ctx ends. It does nothing while another process runs the Bin.
func (b *Bin) Run(ctx context.Context) error {
	defer func() {
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		_ = b.store.Leases.EndJob(ending, binJob, b.store.Process()) // without this the lease would block other processes until it expires
	}()
	last := time.Now() // includes a monotonic clock reading
	for wait := firstEmptied; ; wait = emptiedEvery {
		sleep(ctx, wait)
		if ctx.Err() != nil {
			return nil
		}
		at, now := time.Now(), b.store.Now()
		mine, err := b.store.Leases.TakeJob(ctx, binJob, b.store.Process(), now, now.Add(2*emptiedEvery))
		if err == nil && mine {
			err = b.Tick(ctx, now, at.Sub(last))
		}
		if err != nil && ctx.Err() == nil {
			b.log.Error("cannot empty the bin; it will be tried again", "err", err)
		}
		last = at
	}
}

// Tick runs one round. passed is how long the program has run since the previous one,
// and now is the machine's time. After a jump of the machine's clock, its time is not
// trusted at once: see schedule.Clock.
func (b *Bin) Tick(ctx context.Context, now time.Time, passed time.Duration) error {
	clock, err := b.store.Clock.Tick(ctx, now, passed)
	if err != nil {
		return err
	}
	return b.Round(ctx, clock.Due(now))
}

// Round purges everything that is due at the given time, and removes the files that
// nothing refers to any more. If it is interrupted, the next round does the rest.
func (b *Bin) Round(ctx context.Context, now time.Time) error {
	if err := errors.Join(b.store.Sessions.SweepSessions(ctx, now), b.store.Mail.SweepMails(ctx, now),
		b.store.Audit.SweepAudit(ctx, now), b.store.Programs.Sweep(ctx, now), b.store.Webhooks.Sweep(ctx, now)); err != nil {
		return err
	}
	released, err := b.store.Members.ReleaseAddresses(ctx, now)
	if err != nil {
		return err
	}
	if released > 0 {
		b.log.Info("the e-mail addresses of closed accounts were given free", "accounts", released)
	}
	purged := 0
	for n := purgeBatch; n == purgeBatch; purged += n {
		var err error
		if _, n, err = b.store.Bin.Purge(ctx, now, purgeBatch); err != nil {
			return err
		}
		sleep(ctx, purgePause)
	}
	if purged > 0 {
		b.log.Info("the bin was emptied", "videos", purged)
	}
	if _, err := b.store.Cast.SweepCast(ctx, now); err != nil {
		return err
	}
	unused, err := b.store.Pictures.SweepPictures(ctx, now)
	if err != nil {
		return err
	}
	if unused > 0 {
		b.log.Info("pictures that nothing uses were removed", "pictures", unused)
	}
	left, err := b.store.Files.Leftovers(ctx, now.Add(-fileGrace))
	for _, hash := range left {
		if err == nil {
			err = b.store.Files.DropLeftover(ctx, hash,
				func(ctx context.Context) (bool, error) { return b.media.RemoveOld(ctx, hash, now.Add(-fileGrace)) })
		}
	}
	return err
}
