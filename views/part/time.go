package part

import (
	"fmt"
	"time"

	"dailies/db/schedule"
)

// Ago says how long before now the time was. It returns a date for a time more
// than a week ago, and "never" for the zero time.
func Ago(t, now time.Time) string {
	age := now.Sub(t)
	switch {
	case t.IsZero():
		return "never"
	case age < 45*time.Second:
		return "just now"
	case age < 59*time.Minute+30*time.Second:
		return fmt.Sprintf("%d min ago", int(age.Round(time.Minute).Minutes()))
	case age < 23*time.Hour+30*time.Minute:
		return fmt.Sprintf("%d h ago", int(age.Round(time.Hour).Hours()))
	case age < 48*time.Hour:
		return "yesterday"
	case age < 7*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(age.Hours()/24))
	case t.UTC().Year() == now.UTC().Year():
		return t.UTC().Format("2 January")
	}
	return t.UTC().Format("2 January 2006")
}

// AgoUntil returns the first time after now at which Ago says something else, or the zero
// time.
func AgoUntil(t, now time.Time) time.Time {
	const day = 24 * time.Hour
	switch age := now.Sub(t); {
	case t.IsZero():
		return t
	case age < 45*time.Second:
		return t.Add(45 * time.Second)
	case age < 59*time.Minute+30*time.Second:
		return t.Add(age.Round(time.Minute) + 30*time.Second)
	case age < 23*time.Hour+30*time.Minute:
		return t.Add(age.Round(time.Hour) + 30*time.Minute)
	case age < 7*day:
		return t.Add(max(2*day, age.Truncate(day)+day))
	case t.UTC().Year() == now.UTC().Year():
		return time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}

// Earliest returns the first of the times after now, or the zero time.
func Earliest(now time.Time, times ...time.Time) (first time.Time) {
	for _, t := range times {
		if t.After(now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Moment formats the time to the minute, in UTC.
func Moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// Date formats the day, in UTC.
func Date(t time.Time) string { return t.UTC().Format("2 January 2006") }

// Stamp formats the time for the datetime attribute.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Clock formats the time of day to the second, in UTC.
func Clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// Duration formats a length of time with its two largest units.
func Duration(d time.Duration) string {
	d = max(0, d).Round(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case hours > 0 && minutes > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case hours > 0:
		return fmt.Sprintf("%d h", hours)
	case minutes > 0 && seconds > 0:
		return fmt.Sprintf("%d min %d s", minutes, seconds)
	case minutes > 0:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d s", seconds)
}

// roughly formats a length of time that is only estimated.
func roughly(d time.Duration) string {
	unit := time.Minute
	switch {
	case d <= 10*time.Second:
		return Duration(10 * time.Second)
	case d < 90*time.Second:
		unit = 10 * time.Second
	case d >= 10*time.Hour:
		unit = time.Hour
	case d >= time.Hour:
		unit = 10 * time.Minute
	}
	return Duration(d.Round(unit))
}

// stopwatch formats a length of time as "0:48" or "1:02:03".
func stopwatch(d time.Duration) string {
	seconds := int(max(0, d).Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return VideoLength(seconds)
}

// Usually says how long similar tasks take, such as "usually 2–4 min". It is empty if that
// is not known.
func Usually(u schedule.Usual) string { return usually.of(u) }

// A usualText says how long similar tasks take, in minutes or in seconds. The values are
// the shortest and the longest time.
type usualText struct{ seconds, secondsSpan, minutes, minutesSpan string }

var (
	usually         = usualText{"usually %d s", "usually %d–%d s", "usually %d min", "usually %d–%d min"}
	usuallySentence = usualText{"Usually %d s.", "Usually %d–%d s.", "Usually %d min.", "Usually %d–%d min."}
)

func (t usualText) of(u schedule.Usual) string {
	if !u.Known() {
		return ""
	}
	unit, one, span := time.Minute, t.minutes, t.minutesSpan
	if u.High < 90*time.Second {
		unit, one, span = time.Second, t.seconds, t.secondsSpan
	}
	low := max(1, int(u.Low/unit))
	high := max(low, int((u.High+unit-1)/unit))
	if low == high {
		return fmt.Sprintf(one, high)
	}
	return fmt.Sprintf(span, low, high)
}

// VideoLength formats the length of a video as players do, such as "0:05".
func VideoLength(seconds int) string { return fmt.Sprintf("%d:%02d", seconds/60, seconds%60) }

// Month returns the name of a month given as "2026-11".
func Month(month string) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return t.Format("January 2006")
}
