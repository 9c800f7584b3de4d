package db

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Keeping says how far the copying of a finished task's files is.
type Keeping string

const (
	NothingToKeep Keeping = ""       // not finished
	Saving        Keeping = "saving" // not all files are here yet, or their addresses are not known
	Kept          Keeping = "kept"   // every file is here
	Lost          Keeping = "lost"   // the service has it no longer
)

const (
	// MaxVideos is how many videos of one task are copied. The service lists
	// one, seldom a few; a list of thousands is a fault or an attack.
	MaxVideos = 8

	// CopiesPerHost is how many copies from one host go on at the same time, so
	// that a slow one leaves places for the others.
	CopiesPerHost = 2

	// CopiesPerMaker is how many copies for one person go on at the same time,
	// however many hosts their videos lie on.
	CopiesPerMaker = 8
)

// CopyHost returns the host from which the next copy of the task is made: of
// the hosts that have a video of it, another one after each failed attempt. It
// is empty where nothing is to be copied.
func (t Task) CopyHost() string {
	if t.Keeping != Saving {
		return ""
	}
	var hosts []string
	for _, m := range t.Wanted() {
		if h := m.Host(); m.Kind == Video && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	if len(hosts) == 0 {
		return ""
	}
	return hosts[t.Attempts%len(hosts)]
}

// Host returns the host and port that the file is copied from.
func (m Media) Host() string {
	u, err := url.Parse(m.Source)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), port)
}

// Keep takes files that were copied into the data folder; whole says that
// nothing is missing any more.
func (t *Task) Keep(files []Media, whole bool) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	for _, m := range files {
		t.put(m)
	}
	if whole {
		t.Keeping, t.NextAt = Kept, time.Time{}
		t.Message, t.Blame, t.Attempts = "", NoBlame, 0
		t.FailingSince = time.Time{}
	}
	return nil
}

const (
	// Attempts to copy go on for keepFor, and there are enoughTries of them,
	// before the service is asked for a fresh link, and as long again before the
	// video is given up. Time alone does not count: Dailies may have been off.
	keepFor     = 72 * time.Hour
	enoughTries = 20

	// linkLife is how long a link lives at the least. After that, one that was
	// fresh may have expired like the first one.
	linkLife = 12 * time.Hour
)

// FailCopy records an attempt to copy that did not work out; the next one is
// made at next. When they have failed for days, the service is asked for fresh
// addresses; when that was done, and they have failed for days again, the files
// are lost.
func (t *Task) FailCopy(blame Blame, message string, now, next time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if t.FailingSince.IsZero() || t.FailingSince.After(now) {
		t.FailingSince = now
	}
	switch {
	case now.Sub(t.FailingSince) <= keepFor || t.Attempts+1 < enoughTries:
		return t.Retry(blame, message, next)
	case !t.RefreshedAt.IsZero():
		return t.LoseFiles("The service no longer gives the video out.")
	case t.Blame == BlameGone: // it was asked, and gave no answer all the time
		return t.LoseFiles("The link has expired. " + message)
	}
	t.FailingSince, t.Attempts = now, 0 // to ask may take as long
	return t.Gone(now, next)
}

// enoughGone is how many times in a row the service must say that a file is
// gone, after it was asked for fresh addresses, before that is believed: stores
// of files say so for a moment too.
const enoughGone = 5

// settling is how long after the end of a video the service may miss its file
// for a while; until then the file is not believed to be gone.
const settling = 10 * time.Minute

// Gone records that the service does not give a file out: its link has
// expired. The task is taken up again at once, to ask for fresh addresses, or at
// next, to try once more, unless all of that was done: then the files are lost.
func (t *Task) Gone(now, next time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if now.Sub(t.RefreshedAt) > linkLife {
		t.RefreshedAt = time.Time{}
	}
	if t.RefreshedAt.IsZero() {
		return t.Retry(BlameGone, "The link to the video has expired.", now)
	}
	if t.Blame != BlameGone {
		t.Attempts = 0
	}
	if t.Attempts+1 >= enoughGone && now.Sub(t.DoneAt) > settling {
		return t.LoseFiles("The link has expired, and the service gives no other one.")
	}
	return t.Retry(BlameGone, "The link to the video has expired.", next)
}

// Refreshable reports whether the service is to be asked for fresh addresses
// before the files are tried again.
func (t Task) Refreshable() bool {
	return t.Keeping == Saving && t.Blame == BlameGone && t.RefreshedAt.IsZero()
}

// Refresh takes the addresses that the service gives when it is asked once more
// about a finished task whose links have expired. Fewer videos than before are
// no better ones: then the old addresses are tried again.
func (t *Task) Refresh(fresh []Result, now time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if n := videos(fresh); n > 0 && n >= min(MaxVideos, videos(t.Results)) {
		t.Results = fresh
	}
	t.Asked++
	t.RefreshedAt, t.NextAt, t.Attempts, t.FailingSince = now, now, 0, time.Time{}
	return nil
}

// TooLarge tells a person that the files are lost because a video exceeds the
// limit of a file.
const TooLarge = "The video is larger than 2 GB, which is too large to be kept here."

// LoseFiles gives up copying: the service no longer gives the files out.
func (t *Task) LoseFiles(message string) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	t.Keeping, t.NextAt = Lost, time.Time{}
	t.Blame, t.Message = BlameService, message
	return nil
}

// KeepAgain begins the copying anew because a person says so. A task without an
// address that the service is still asked for is asked about at once.
func (t *Task) KeepAgain(now time.Time) error {
	if t.LacksAddress() {
		t.NextAt = now
		return nil
	}
	if err := t.expect(t.State == Success && t.Keeping == Lost); err != nil {
		return err
	}
	t.Keeping, t.NextAt, t.RefreshedAt = Saving, now, time.Time{}
	t.Message, t.Blame, t.Attempts = "", NoBlame, 0
	t.FailingSince = time.Time{}
	return nil
}
