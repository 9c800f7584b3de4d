package film

import (
	"hash/fnv"
	"math"
)

// chance is the film's own source of everything that looks random. Its value
// is the whole state, so a painter can hold one and stay unchanged.
type chance uint64

// newChance depends on the words and the seed alone.
func newChance(prompt string, seed int64) chance {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return chance(scramble(h.Sum64() ^ uint64(seed)*0x9e3779b97f4a7c15))
}

// scramble finishes a number as splitmix64 does: near numbers come out far apart.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// at returns the n-th number, 0 to 1.
func (c chance) at(n int) float64 {
	return float64(scramble(uint64(c)+uint64(n+1)*0x9e3779b97f4a7c15)>>11) / (1 << 53)
}

// between returns the n-th number, in a range.
func (c chance) between(n int, low, high float64) float64 { return low + (high-low)*c.at(n) }

// pick returns the n-th number as a choice among a count of things.
func (c chance) pick(n, count int) int { return min(int(c.at(n)*float64(count)), count-1) }

// branch returns an independent source.
func (c chance) branch(n int) chance { return chance(scramble(uint64(c) ^ uint64(n+1)<<32)) }

// noise returns a smooth wave through the source's numbers, -1 to 1.
func (c chance) noise(x float64) float64 {
	f := math.Floor(x)
	t := x - f
	t = t * t * t * (t*(t*6-15) + 10)
	a, b := c.at(int(f)), c.at(int(f)+1)
	return 2*(a+(b-a)*t) - 1
}

// hills returns noise over noise, each finer and lower than the one before.
func (c chance) hills(x float64, octaves int, rough float64) float64 {
	sum, height := 0.0, 1.0
	for range octaves {
		sum += height * c.noise(x)
		x, height = x*2.03+17.1, height*rough
	}
	return sum
}

// smooth eases from 0 to 1 while x goes from a to b.
func smooth(a, b, x float64) float64 {
	t := min(max((x-a)/(b-a), 0), 1)
	return t * t * (3 - 2*t)
}

// settle comes in fast and slows down: 0 to 1 while x goes from 0 to 1.
func settle(x float64) float64 {
	x = 1 - min(max(x, 0), 1)
	return 1 - x*x*x*x
}
