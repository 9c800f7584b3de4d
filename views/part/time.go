package part

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db"
)

// Ago is how long before now the time was, in the words of a person. What is
// older than a week is a date; the zero time is "never".
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

// Moment is the time to the minute, in UTC.
func Moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// Stamp is the time for the datetime attribute.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Clock is the time of day to the second, in UTC, for a row of times on one
// day.
func Clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// Took is a length of time with its two largest units.
func Took(d time.Duration) string {
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

// enoughHistory is how many past tasks make a habit worth telling.
const enoughHistory = 3

// Usually tells how long tasks of the kind took, such as "usually 2 to 4 min",
// or nothing while too few are known.
func Usually(u db.Usual) string {
	if u.Count < enoughHistory || u.High <= 0 {
		return ""
	}
	unit, name := time.Minute, "min"
	if u.High < 90*time.Second {
		unit, name = time.Second, "s"
	}
	low := max(1, int(u.Low/unit))
	high := max(low, int((u.High+unit-1)/unit))
	if low == high {
		return fmt.Sprintf("usually about %d %s", high, name)
	}
	return fmt.Sprintf("usually %d to %d %s", low, high, name)
}

// Reel is a length in seconds as players show it, such as "0:05".
func Reel(seconds int) string { return fmt.Sprintf("%d:%02d", seconds/60, seconds%60) }

// Month is the name of a month given as "2026-11".
func Month(month string) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return t.Format("January 2006")
}

// Seconds is the length of a video, such as "5 s".
func Seconds(n int) string { return strconv.Itoa(n) + " s" }
