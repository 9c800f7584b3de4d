package videoapi

import (
	"slices"

	"dailies/db/option"
)

// A Smallest is a video that costs little, to try a service with.
type Smallest struct {
	Model      string // its ID
	Duration   int    // in seconds
	Resolution string
	Credits    float64 // as the service states, if HasPrice
	HasPrice   bool
}

// Smallest returns the video from text with the lowest stated price, or, if none is stated,
// one of the first model, or of the quicker one for its drafts. It is as short and has as low a resolution as the model allows,
// but takes at least five seconds.
func (c *Catalog) Smallest() (found Smallest) {
	const shortest = 5 // seconds; prices are stated for this length
	for _, m := range c.For(TextToVideo) {
		s := Smallest{Model: m.ID}
		for _, d := range m.Durations {
			if d >= shortest && (s.Duration == 0 || d < s.Duration) {
				s.Duration = d
			}
		}
		if len(m.Resolutions) > 0 {
			s.Resolution = slices.MinFunc(m.Resolutions, func(a, b string) int { return lines(a) - lines(b) })
		}
		s.Credits, s.HasPrice = m.Price(TextToVideo, option.Values{Duration: s.Duration, Resolution: s.Resolution})
		if found.Model == "" || s.HasPrice && (!found.HasPrice || s.Credits < found.Credits) {
			found = s
		}
	}
	if draft, ok := c.Draft(found.Model, TextToVideo); ok && !found.HasPrice && slices.Contains(draft.Durations, found.Duration) && slices.Contains(draft.Resolutions, found.Resolution) {
		found.Model = draft.ID
	}
	return found
}

// lines returns the number in the name of a resolution, such as 480p.
func lines(resolution string) (n int) {
	for _, r := range resolution {
		if r < '0' || r > '9' {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
}
