package film

import (
	"hash/fnv"
	"math"
)

// A chance is a source of pseudo-random numbers. It is immutable, so several
// painters can use one at the same time.
type chance uint64

// newChance returns a source that depends only on the prompt and the seed.
func newChance(prompt string, seed int64) chance {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return chance(scramble(h.Sum64() ^ uint64(seed)*0x9e3779b97f4a7c15))
}

// scramble mixes the bits of a number like splitmix64, so that similar numbers
// give unrelated results.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// at returns the n-th number of the source, from 0 to 1.
func (c chance) at(n int) float64 {
	return float64(scramble(uint64(c)+uint64(n+1)*0x9e3779b97f4a7c15)>>11) / (1 << 53)
}

// between returns the n-th number, scaled to a range.
func (c chance) between(n int, low, high float64) float64 { return low + (high-low)*c.at(n) }

// pick returns the n-th number as an integer from 0 to count-1.
func (c chance) pick(n, count int) int { return min(int(c.at(n)*float64(count)), count-1) }

// direction returns the n-th number as -1 (left) or 1 (right).
func (c chance) direction(n int) float64 { return math.Copysign(1, c.at(n)-.5) }

// branch returns the n-th independent source derived from c.
func (c chance) branch(n int) chance { return chance(scramble(uint64(c) ^ uint64(n+1)<<32)) }

// noise returns the value at x of a smooth curve through the source's numbers,
// from -1 to 1.
func (c chance) noise(x float64) float64 {
	f := math.Floor(x)
	t := x - f
	t = t * t * t * (t*(t*6-15) + 10)
	a, b := c.at(int(f)), c.at(int(f)+1)
	return 2*(a+(b-a)*t) - 1
}

// hills returns a sum of noise curves, each finer and lower than the one before.
func (c chance) hills(x float64, octaves int, rough float64) float64 {
	sum, height := 0.0, 1.0
	for range octaves {
		sum += height * c.noise(x)
		x, height = x*2.03+17.1, height*rough
	}
	return sum
}

// smooth rises from 0 to 1 while x goes from a to b, with a soft start and end.
func smooth(a, b, x float64) float64 {
	t := min(max((x-a)/(b-a), 0), 1)
	return t * t * (3 - 2*t)
}

// settle rises from 0 to 1 with x, fast at first and slower towards the end.
func settle(x float64) float64 {
	x = 1 - min(max(x, 0), 1)
	return 1 - x*x*x*x
}
