package command

import (
	"context"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"dailies/db/secrets"
	"dailies/handlers/config"
	"dailies/handlers/site"
)

const (
	// baseMemory is what the program needs besides hashing passwords, in bytes.
	baseMemory = 80 << 20
	// hashMemory is what each password that is hashed at the same time needs: its own
	// memory, and that of the one before, which the garbage collector may not have
	// freed.
	hashMemory = 2 * secrets.HashMemory
)

// fitMemory makes the program keep within the memory that it may use, and returns how
// many passwords may be hashed at the same time. The limit is GOMEMLIMIT, which the Go
// runtime reads itself, or that of the control groups, of which the runtime gets three
// quarters: the rest is for SQLite, buffers of the kernel and the program itself.
func fitMemory(log *slog.Logger) (hashes int) {
	limit := debug.SetMemoryLimit(-1)
	if most := config.MemoryLimit(os.DirFS("/")); most > 0 && most < limit {
		if limit == math.MaxInt64 {
			debug.SetMemoryLimit(most / 4 * 3)
		}
		limit = most
	}
	hashes = hashesIn(limit)
	if limit < math.MaxInt64 {
		log.Debug("memory is limited", "bytes", limit, "passwords at once", hashes)
	}
	return hashes
}

// hashesIn returns how many passwords may be hashed at the same time in so many bytes:
// at least one.
func hashesIn(limit int64) int {
	return int(min(max(1, (limit-baseMemory)/hashMemory), int64(site.DefaultHashes())))
}

const (
	// givenBackEvery is how often the program looks whether it has memory to give back.
	givenBackEvery = 5 * time.Second
	// muchAllocated is how many bytes it has then allocated at least since the last time,
	// and at most since it looked, because a busy program needs them again. A password
	// takes more.
	muchAllocated = 16 << 20
)

// giveBack gives the memory that passwords and pages needed back to the operating system
// once it is not needed any more, until ctx ends. The runtime would keep most of it for
// minutes.
func giveBack(ctx context.Context) error {
	givingBack(ctx, allocated, debug.FreeOSMemory)
	return nil
}

func givingBack(ctx context.Context, allocated func() uint64, free func()) {
	tick := time.NewTicker(givenBackEvery)
	defer tick.Stop()
	given := allocated()
	for before := given; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if now-given >= muchAllocated && now-before < muchAllocated {
			free()
			given = now
		}
		before = now
	}
}

// allocated returns how many bytes the program has allocated since it started.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
