package splice

import (
	"math"
	"math/bits"
)

// rescale converts a time from one timescale (ticks per second) to another, rounded to
// the nearest tick. It returns math.MaxInt64 on overflow.
func rescale(ticks, from, to int64) int64 {
	if from == to {
		return ticks
	}
	if ticks < 0 {
		return -rescale(-ticks, from, to)
	}
	high, low := bits.Mul64(uint64(ticks), uint64(to))
	low, carry := bits.Add64(low, uint64(from)/2, 0)
	if high += carry; high >= uint64(from) {
		return math.MaxInt64
	}
	n, _ := bits.Div64(high, low, uint64(from))
	return int64(min(n, math.MaxInt64))
}

// commonScale returns the least common multiple of the timescales, in which all of their
// times are whole numbers of ticks. If that exceeds a million ticks per second, it
// returns a million, or the timescale itself if all are equal.
func commonScale(scales []int64) int64 {
	const finest = 1_000_000
	all := int64(1)
	for _, s := range scales {
		if all = all / gcd(all, s) * s; all > finest {
			if len(scales) == 1 || equal(scales) {
				return scales[0]
			}
			return finest
		}
	}
	return all
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func equal(scales []int64) bool {
	for _, s := range scales {
		if s != scales[0] {
			return false
		}
	}
	return true
}
