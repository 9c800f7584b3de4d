package db

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Keeping says how far the copying of a finished task's files has got.
type Keeping string

const (
	NothingToKeep Keeping = ""       // no video, or not finished
	Saving        Keeping = "saving" // not all files are copied, or their addresses are not known yet
	Kept          Keeping = "kept"   // every file is stored here
	Lost          Keeping = "lost"   // a file is missing here, and cannot be copied any more
)

// MaxVideos limits how many videos of one task are copied. The service lists
// one, rarely a few; a list of thousands is a fault or an attack.
const MaxVideos = 8

// CopyHost returns the host from which the next copy for the task is made. After
// each failed attempt it is the next of the hosts that have a video of the task. It
// is empty if there is nothing to copy.
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

// Host returns the host and port from which the file is copied.
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

// Keep records files that were copied into the data folder. Whole says that none is
// missing any more.
func (t *Task) Keep(files []Media, whole bool) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	for _, m := range files {
		t.put(m)
	}
	if whole {
		t.Keeping, t.NextAt = Kept, time.Time{}
		t.Message, t.ErrorKind, t.Attempts = "", NoError, 0
		t.FailingSince = time.Time{}
	}
	return nil
}

const (
	// Copying is attempted for keepFor, and at least enoughTries times, before the
	// service is asked for fresh links, and as long again before the video is given
	// up. Time alone does not count, because Dailies may have been off.
	keepFor     = 72 * time.Hour
	enoughTries = 20

	// linkLife is the shortest lifetime of a link. A fresh link that is older may
	// have expired like the first one.
	linkLife = 12 * time.Hour
)

// FailCopy records a failed attempt to copy; the next attempt is due at next. After
// days of failures, the service is asked for fresh addresses. After days of
// failures with those, the files are given up as lost.
func (t *Task) FailCopy(kind ErrorKind, message string, now, next time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if t.FailingSince.IsZero() || t.FailingSince.After(now) {
		t.FailingSince = now
	}
	switch {
	case now.Sub(t.FailingSince) <= keepFor || t.Attempts+1 < enoughTries:
		return t.Retry(kind, message, next)
	case !t.RefreshedAt.IsZero():
		return t.LoseFiles("The service no longer has the video.")
	case t.ErrorKind == LinkError: // fresh links were requested, and the service never answered
		return t.LoseFiles(fmt.Sprintf("The link has expired. %s", message))
	}
	t.FailingSince, t.Attempts = now, 0 // requesting links may take as long again
	return t.Gone(now, next)
}

// enoughGone is how many times in a row the service must report a file as gone,
// with fresh addresses, before the file is given up: file stores report that
// temporarily, too.
const enoughGone = 5

// settling is how long after the end of a video its file may be missing at the
// service. Until then the file is not given up.
const settling = 10 * time.Minute

// Gone records that the service does not deliver a file because its link has
// expired. The task is due at once to ask for fresh addresses or, if that was done,
// at next to try the copy again. After enough attempts, the files are given up as
// lost.
func (t *Task) Gone(now, next time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if now.Sub(t.RefreshedAt) > linkLife {
		t.RefreshedAt = time.Time{}
	}
	if t.RefreshedAt.IsZero() {
		return t.Retry(LinkError, "The link to the video has expired.", now)
	}
	if t.ErrorKind != LinkError {
		t.Attempts = 0
	}
	if t.Attempts+1 >= enoughGone && now.Sub(t.DoneAt) > settling {
		return t.LoseFiles("The link has expired, and the service sends no new one.")
	}
	return t.Retry(LinkError, "The link to the video has expired.", next)
}

// IsStale reports whether a link that led to something other than the video counts as
// expired, because some file stores answer so: unless fresh addresses were requested
// lately, or the video is many days old.
func IsStale(t Task, now time.Time) bool {
	recent := now.Sub(t.RefreshedAt) <= linkLife
	return t.RefreshedAt.IsZero() || !recent && now.Sub(t.DoneAt) < 2*keepFor
}

// Refreshable reports whether the service must be asked for fresh addresses before
// the next attempt to copy.
func (t Task) Refreshable() bool {
	return t.Keeping == Saving && t.ErrorKind == LinkError && t.RefreshedAt.IsZero()
}

// Refresh records the addresses that the service returned for a finished task whose
// links had expired. If there are fewer videos than before, the old addresses are
// tried again.
func (t *Task) Refresh(fresh []Result, now time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if n := videos(fresh); n > 0 && n >= min(MaxVideos, videos(t.Results)) {
		t.Results = fresh
	}
	t.Queries++
	t.RefreshedAt, t.NextAt, t.Attempts, t.FailingSince = now, now, 0, time.Time{}
	return nil
}

// enoughWrong is how many times in a row a fresh link must lead to a page or a text before
// the video is given up.
const enoughWrong = 5

// FailWrong records that a link led to something other than a video, such as the page of an
// expired link. If fresh links lead there again and again, the files are given up with the
// message.
func (t *Task) FailWrong(message, meanwhile string, now, next time.Time) error {
	if t.Attempts+1 >= enoughWrong && now.Sub(t.DoneAt) > settling {
		return t.LoseFiles(message)
	}
	return t.FailCopy(ServiceError, meanwhile, now, next)
}

// Refuse records that what the service has put at the address can never be stored as a
// video. If it has sent another video, that one is enough. Otherwise the files are given up
// with the message.
func (t *Task) Refuse(address, message string, now time.Time) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	if videos(t.Results) > 1 {
		results := slices.Clone(t.Results)
		for i, r := range results {
			if r.Kind == Video && r.URL == address {
				results[i].Kind = Refused
			}
		}
		if videos(results) > 0 {
			t.Results = results
			whole := !slices.ContainsFunc(t.Wanted(), func(m Media) bool { return m.Kind == Video })
			if t.NextAt = now; whole {
				return t.Keep(nil, true)
			}
			return nil
		}
	}
	return t.LoseFiles(message)
}

// TooLarge is the message for a task whose files are lost because a video exceeds
// the maximum size of a file.
const TooLarge = "The video is over 2 GB, too large to save here."

// LoseFiles gives up copying, for example because the service no longer delivers
// the files.
func (t *Task) LoseFiles(message string) error {
	if err := t.expect(t.State == Success && t.Keeping == Saving); err != nil {
		return err
	}
	t.Keeping, t.NextAt = Lost, time.Time{}
	t.ErrorKind, t.Message = ServiceError, message
	return nil
}

// KeepAgain restarts copying at a person's request. If the task's address is still
// unknown, the service is queried at once.
func (t *Task) KeepAgain(now time.Time) error {
	if t.LacksAddress() {
		t.NextAt = now
		return nil
	}
	if err := t.expect(t.State == Success && t.Keeping == Lost); err != nil {
		return err
	}
	t.Keeping, t.NextAt, t.RefreshedAt = Saving, now, time.Time{}
	t.Message, t.ErrorKind, t.Attempts = "", NoError, 0
	t.FailingSince = time.Time{}
	return nil
}

const (
	// addressFor limits how long the service is queried for the address of a video
	// that it reports as finished.
	addressFor = 72 * time.Hour

	// addressAttempts is how many queries in a row must have brought no address
	// before the video is given up. The time alone does not suffice, because the
	// clock may have jumped ahead.
	addressAttempts = 24
)

// LacksAddress reports whether the service says that the video is finished but has
// not given its address yet. The address of a cover does not count.
func (f Files) LacksAddress() bool {
	return f.Keeping == Saving && videos(f.Results) == 0
}

// ReportAgain applies the service's answer to a query about a task that lacks its
// address. If the answer has no address either, the task is queried again at next,
// for up to three days. If the service reports a failure after all, the task fails
// and its refund is recorded. If it says twice that a filter keeps the video back, the task
// ends without it.
func (t *Task) ReportAgain(r Report, now, next time.Time) error {
	if err := t.expect(t.LacksAddress()); err != nil {
		return err
	}
	t.Queries++
	switch State(r.Status) {
	case Failed, Canceled:
		t.Keeping, t.Progress = NothingToKeep, 0
		r.apply(t, now, next)
		return nil
	}
	if r.Charged.Known {
		t.Charged = r.Charged
	}
	switch {
	case videos(r.Results) > 0:
	case r.Filtered && t.ErrorKind == RequestError:
		r.filter(t, t.Charged, now)
		return nil
	case r.Filtered:
		return t.Retry(RequestError, r.Reason, next)
	default:
		t.ErrorKind, t.Message = NoError, ""
		return t.RetryAddress(NoError, "", now, next)
	}
	t.Results, t.NextAt = r.Results, now
	t.Message, t.ErrorKind, t.Attempts = "", NoError, 0
	return nil
}

// RetryAddress records that a query brought no address. The task is queried again
// at next or, after three days of queries, given up.
func (t *Task) RetryAddress(kind ErrorKind, message string, now, next time.Time) error {
	if err := t.expect(t.LacksAddress()); err != nil {
		return err
	}
	if t.ErrorKind == RequestError { // the next answer decides whether the video is filtered
		kind, message = t.ErrorKind, t.Message
	}
	if now.Sub(t.DoneAt) > addressFor && t.Attempts+1 >= addressAttempts {
		if message == "" {
			message = "The service sent no link to the video for three days."
		}
		return t.LoseFiles(message)
	}
	return t.Retry(kind, message, next)
}

// Reconcile updates the task's files according to whole, which reports whether a
// file is stored intact, and reports whether anything changed. A missing or
// truncated file becomes lost; a lost file that is back, for example restored by
// hand, is kept again. A task becomes Lost with the first of its videos, so that
// its maker can have it copied again. A task that is being saved is left alone.
func (t *Task) Reconcile(whole func(Media) bool, now time.Time) (changed bool) {
	if t.Keeping != Kept && t.Keeping != Lost {
		return false
	}
	gone, back, here := false, false, 0
	for i := range t.Media {
		m := &t.Media[i]
		is := whole(*m)
		if is && m.Kind == Video {
			here++
		}
		switch {
		case is == m.LostAt.IsZero():
			gone = gone || m.Kind == Video && !is
			continue
		case is:
			m.LostAt, back = time.Time{}, back || m.Kind == Video
		default:
			m.LostAt, gone = now, gone || m.Kind == Video
		}
		changed = true
	}
	switch {
	case gone && t.Keeping == Kept:
		t.Keeping, t.ErrorKind, t.Message = Lost, ServiceError, "Its file is missing or damaged in the data folder."
		return true
	case back && !gone && here >= min(videos(t.Results), MaxVideos) && t.Keeping == Lost:
		t.Keeping, t.ErrorKind, t.Message = Kept, NoError, ""
		return true
	}
	return changed
}
