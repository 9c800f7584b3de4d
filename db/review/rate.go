package review

import (
	"fmt"
	"math"
	"time"
)

// A Rate is a number of frames per second as a fraction, such as 30000/1001.
type Rate struct{ Frames, Seconds int64 }

// usualRates are those of films and of television.
var usualRates = []Rate{{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001}, {30, 1}, {50, 1}, {60000, 1001}, {60, 1}}

// usualRate is assumed of a video whose index cannot be read.
var usualRate = Rate{25, 1}

// RateOf returns the rate of a video with so many frames in so much time: the usual rate that
// is within a thousandth of it, or else a whole number of frames per second.
func RateOf(frames int, length time.Duration) Rate {
	if frames <= 0 || length <= 0 {
		return usualRate
	}
	measured := float64(frames) / length.Seconds()
	near, apart := Rate{}, 0.0004
	for _, r := range usualRates {
		if d := math.Abs(float64(r.Frames)/float64(r.Seconds)/measured - 1); d < apart {
			near, apart = r, d
		}
	}
	if near.Frames != 0 {
		return near
	}
	return Rate{min(max(1, int64(math.Round(measured))), 240), 1}
}

// seconds returns how long so many frames take, as a fraction such as "48048/24000s".
func (r Rate) seconds(frames int64) string {
	if frames == 0 {
		return "0s"
	}
	return fmt.Sprintf("%d/%ds", frames*r.Seconds, r.Frames)
}

// whole returns the rate of the timecode, which counts whole frames per second.
func (r Rate) whole() int64 { return (r.Frames + r.Seconds/2) / r.Seconds }

// FrameAt returns the frame that is shown after so many milliseconds.
func (r Rate) FrameAt(ms int64) int64 { return ms * r.Frames / (1000 * r.Seconds) }

// nearest returns the frame that begins nearest to the time.
func (r Rate) nearest(at time.Duration) int64 {
	return int64(math.Round(at.Seconds() * float64(r.Frames) / float64(r.Seconds)))
}

// Fits reports whether so many frames of the rate take as long, to within half a frame.
func (r Rate) Fits(frames int, length time.Duration) bool {
	return math.Abs(length.Seconds()*float64(r.Frames)/float64(r.Seconds)-float64(frames)) <= 0.5
}

// timecode returns the frame as hours, minutes, seconds and frames.
func (r Rate) timecode(frame int64) string {
	fps := r.whole()
	seconds := frame / fps
	return fmt.Sprintf("%02d:%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60, frame%fps)
}
