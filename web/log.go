package web

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// Of warnings and errors that are alike, at most mostAlike are logged within
	// alikeTime.
	mostAlike = 3
	alikeTime = time.Minute

	// maxKinds limits the memory for kinds of messages.
	maxKinds = 1000
)

// LimitRepeats returns a handler that passes on only a few of the warnings and errors
// that are alike, so that a fault that lasts for days does not fill the disk with its
// log. Messages are alike if their level, text and attributes are the same, apart from
// the errors that they report. The first message after a pause says how many were
// left out.
//
// Messages with the attribute "address" are all passed on: they report what somebody at
// a network address has tried, such as a wrong password. Their number matters, and is
// limited where they come from.
func LimitRepeats(h slog.Handler) slog.Handler {
	return &repeatLimiter{Handler: h, seen: &repeats{kinds: map[string]*repeat{}}}
}

// A repeatLimiter is the handler that LimitRepeats returns, or one with attributes that
// was made from it.
type repeatLimiter struct {
	slog.Handler
	seen  *repeats
	attrs string // the attributes that all its messages have
}

// repeats counts messages by their kind.
type repeats struct {
	mu    sync.Mutex
	kinds map[string]*repeat
}

type repeat struct {
	since   time.Time // begin of the period in which messages are counted
	logged  int
	leftOut int
}

// Handle implements slog.Handler.
func (l *repeatLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return l.Handler.Handle(ctx, r)
	}
	kind := strings.Builder{}
	kind.WriteString(r.Level.String() + " " + r.Message + l.attrs)
	tried := false
	r.Attrs(func(a slog.Attr) bool {
		kind.WriteString(textOf(a))
		tried = tried || a.Key == "address"
		return true
	})
	if tried {
		return l.Handler.Handle(ctx, r)
	}
	leftOut, ok := l.seen.count(kind.String(), r.Time)
	if !ok {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left out", leftOut))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *repeatLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := &repeatLimiter{l.Handler.WithAttrs(attrs), l.seen, l.attrs}
	for _, a := range attrs {
		with.attrs += textOf(a)
	}
	return with
}

// WithGroup implements slog.Handler.
func (l *repeatLimiter) WithGroup(name string) slog.Handler {
	return &repeatLimiter{l.Handler.WithGroup(name), l.seen, l.attrs + " " + name + "."}
}

// textOf returns the attribute as a part of a kind. It is empty for an error, whose
// text often holds a port or a time.
func textOf(a slog.Attr) string {
	if _, is := a.Value.Any().(error); is {
		return ""
	}
	return " " + a.String()
}

// count counts a message at the time now, and reports whether it is to be logged. If it
// is the first of a period, leftOut is how many were not logged in the period before.
func (s *repeats) count(kind string, now time.Time) (leftOut int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[kind]
	if k == nil || now.Sub(k.since).Abs() >= alikeTime {
		if k != nil {
			leftOut = k.leftOut
		} else if len(s.kinds) >= maxKinds {
			s.forget(now)
		}
		s.kinds[kind] = &repeat{since: now, logged: 1}
		return leftOut, true
	}
	if k.logged < mostAlike {
		k.logged++
		return 0, true
	}
	k.leftOut++
	return 0, false
}

// forget removes the kinds that were not counted lately or, if there are none, all.
func (s *repeats) forget(now time.Time) {
	for kind, k := range s.kinds {
		if now.Sub(k.since).Abs() >= alikeTime {
			delete(s.kinds, kind)
		}
	}
	if len(s.kinds) >= maxKinds {
		clear(s.kinds)
	}
}
