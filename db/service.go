package db

import (
	"net/url"
	"time"
)

// A Service is a video service that the team uses, or has used. Everything that was sent to
// a service, or that only one accepts, says which: tasks, keys, and the addresses of
// uploaded pictures.
type Service struct {
	ID      int64
	Address string // without credentials
	// Practice says that it is the embedded service, whose credits are not real.
	Practice bool
	Current  bool // new videos are sent to it
	// Held says that it came from a backup: it is not called until an admin has confirmed
	// it.
	Held   bool
	UsedAt time.Time // when it became the current one last

	Queued  int // tasks that wait to be sent to it; filled in where noted
	Running int // tasks that were sent to it and have not ended; filled in where noted
}

// Sends reports whether tasks are sent to the service now.
func (s Service) Sends() bool { return s.Current && !s.Held }

// Host returns the name of the service's host, with the port if one is given.
func (s Service) Host() string {
	u, err := url.Parse(s.Address)
	if err != nil {
		return ""
	}
	return u.Host
}
