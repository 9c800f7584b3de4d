package schedule

import (
	"cmp"
	"slices"
	"time"
)

const (
	// CopiesPerHost is how many files a worker pool copies from a host at the same time
	// as long as it has not learned how many the host can deliver.
	CopiesPerHost = 10

	// CopiesPerMaker limits the simultaneous copies of a worker pool for one person,
	// however many hosts their videos are on.
	CopiesPerMaker = 16
)

// A CopyJob is a finished video that waits for its files to be copied.
type CopyJob struct {
	TaskID, UserID int64
	Host           string
	Due            time.Time
}

// A CopyCapacity describes the copies that a worker pool is making, and how many more it may
// begin.
type CopyCapacity struct {
	Makers map[int64]int  // copies in progress for each person
	Hosts  map[string]int // copies in progress from each host
	Most   map[string]int // the limit for each host; CopiesPerHost for those that it lacks

	// Reserved workers only begin copies for people who have none in progress, so that
	// nobody waits for the copies of others, even if all come slowly from one host.
	Reserved int
}

// Choose returns those of the waiting copies to begin with the free workers, at most one
// for each worker. People with the fewest copies in progress come first, followed by the
// copies that have been due longest.
func (c CopyCapacity) Choose(waiting []CopyJob, workers int) (chosen []CopyJob) {
	makers, hosts := map[int64]int{}, map[string]int{} // including the chosen ones
	for _, j := range waiting {
		makers[j.UserID], hosts[j.Host] = c.Makers[j.UserID], c.Hosts[j.Host]
	}
	waiting = slices.Clone(waiting)
	for ; workers > 0; workers-- {
		next := -1
		for i, j := range waiting {
			if !c.allows(j, makers[j.UserID], hosts[j.Host], workers) {
				continue
			}
			if next < 0 || cmp.Or(cmp.Compare(makers[j.UserID], makers[waiting[next].UserID]), j.Due.Compare(waiting[next].Due)) < 0 {
				next = i
			}
		}
		if next < 0 {
			break
		}
		j := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		makers[j.UserID]++
		hosts[j.Host]++
		chosen = append(chosen, j)
	}
	return chosen
}

// Allows reports whether the copy may begin now, when that many workers are free.
func (c CopyCapacity) Allows(j CopyJob, workers int) bool {
	return c.allows(j, c.Makers[j.UserID], c.Hosts[j.Host], workers)
}

// allows is like Allows, with the copies in progress for the person and from the host.
func (c CopyCapacity) allows(j CopyJob, ofMaker, fromHost, workers int) bool {
	if ofMaker == 0 {
		return workers > 0
	}
	most, known := c.Most[j.Host]
	if !known {
		most = CopiesPerHost
	}
	return workers > c.Reserved && ofMaker < CopiesPerMaker && fromHost < most
}

// A Space says how many bytes of the disk the kept files use, and may use.
type Space struct {
	Used int64 // bytes of all kept files
	Max  int64 // bytes that they may use together; 0 for no limit
	Free int64 // bytes free on the disk; negative if that is not known
	// Waiting is how many videos could not be kept for lack of space.
	Waiting int
}

const (
	// Reserve is kept free on the disk: the database needs space to record what was
	// paid for.
	Reserve = 1 << 30

	// forVideos is how many bytes of the disk beyond Reserve, and 1/forVideosPart
	// of Max, are for paid videos alone.
	forVideos     = 1 << 30
	forVideosPart = 10

	// scarce is how many bytes must be left so that no space needs to be freed.
	scarce = 5 << 30
)

// Left returns how many bytes of files can still be kept, never negative.
func (s Space) Left() int64 {
	left := int64(1) << 62
	if s.Max > 0 {
		left = min(left, s.Max-s.Used)
	}
	if s.Free >= 0 {
		left = min(left, s.Free-Reserve)
	}
	return max(0, left)
}

// ForUploads returns how many bytes of uploaded pictures can still be kept, never
// negative. It is less than Left, because the last part of the space is for videos
// that were paid for.
func (s Space) ForUploads() int64 {
	left := s.Left()
	if s.Max > 0 {
		left = min(left, s.Max-s.Max/forVideosPart-s.Used)
	}
	if s.Free >= 0 {
		left = min(left, s.Free-Reserve-forVideos)
	}
	return max(0, left)
}

// Bounded reports whether Max is reached before the disk is full.
func (s Space) Bounded() bool {
	return s.Max > 0 && (s.Free < 0 || s.Max-s.Used < s.Free-Reserve)
}

// Scarce reports whether space should be freed: something waits for it, or little
// is left. If Max is a tighter limit than the disk, a tenth of Max is enough, as Max may
// be small on purpose.
func (s Space) Scarce() bool {
	if s.Waiting > 0 {
		return true
	}
	enough := int64(scarce)
	if s.Bounded() {
		enough = min(enough, s.Max/10)
	}
	return s.Left() < enough
}
