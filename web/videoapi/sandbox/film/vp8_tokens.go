package film

import "math"

// Coefficients are first written down as tokens: a bit and the place of its
// probability. When the frame is done and all bits are counted, the best
// probabilities are chosen and the tokens go through the arithmetic coder.

const (
	planeRest = iota // luma without its first coefficients
	planeMean        // the first coefficients of luma
	planeTint        // chroma
)

const (
	places    = 4 * 8 * 3 * 11
	fixedOdds = 1 << 15 // marks a token whose probability is given, not looked up
)

// bands groups places in zigzag order; the last entry is read, never used.
var bands = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}

// large has the probabilities of the extra bits of the four large categories.
var large = [4][]byte{
	{173, 148, 140},
	{176, 155, 140, 135},
	{180, 157, 141, 134, 130},
	{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

type tokens struct {
	list   []uint16
	counts [places][2]uint32
}

func (t *tokens) reset() {
	t.list = t.list[:0]
	t.counts = [places][2]uint32{}
}

// add notes a bit whose probability stands at a place of the table.
func (t *tokens) add(place int, bit bool) bool {
	b := 0
	if bit {
		b = 1
	}
	t.list = append(t.list, uint16(place<<1|b))
	t.counts[place][b]++
	return bit
}

// sure notes a bit of a given probability.
func (t *tokens) sure(zero byte, bit int) {
	t.list = append(t.list, fixedOdds|uint16(zero)<<1|uint16(bit))
}

// block notes n levels of a block from first on, after context blocks (0 to
// 2) beside it that are not empty. It returns 1 if this one is not, else 0.
func (t *tokens) block(levels *[16]int16, first, n, plane, context int) uint8 {
	place := func(i, ctx int) int { return plane*264 + int(bands[i])*33 + ctx*11 }
	p := place(first, context)
	if !t.add(p, n > first) {
		return 0
	}
	for i := first; i < n; {
		v := int(levels[i])
		i++
		if !t.add(p+1, v != 0) {
			p = place(i, 0)
			continue
		}
		sign := 0
		if v < 0 {
			v, sign = -v, 1
		}
		ctx := 1
		if t.add(p+2, v > 1) {
			t.size(p, v)
			ctx = 2
		}
		t.sure(128, sign)
		p = place(i, ctx)
		if i < 16 {
			t.add(p, i < n)
		}
	}
	return 1
}

// size notes a level of 2 or more.
func (t *tokens) size(p, v int) {
	if !t.add(p+3, v > 4) {
		if t.add(p+4, v > 2) {
			t.add(p+5, v > 3)
		}
		return
	}
	if !t.add(p+6, v > 10) {
		if !t.add(p+7, v > 6) {
			t.sure(159, v-5)
			return
		}
		t.sure(165, (v-7)>>1)
		t.sure(145, (v-7)&1)
		return
	}
	cat := 0
	for cat < 3 && v >= 3+8<<(cat+1) {
		cat++
	}
	t.add(p+8, cat > 1)
	t.add(p+9+cat>>1, cat&1 == 1)
	extra := v - 3 - 8<<cat
	for i, zero := range large[cat] {
		t.sure(zero, extra>>(len(large[cat])-1-i)&1)
	}
}

// choose writes into the header which probabilities differ from the usual
// ones, where that saves bits, and returns all of them.
func (t *tokens) choose(w *boolWriter, e *encoder) []byte {
	copy(e.odds, defaultProbabilities)
	for i, c := range t.counts {
		keep, old := updateProbabilities[i], defaultProbabilities[i]
		fresh := byte(255)
		if c[0]+c[1] > 0 {
			fresh = byte(min(max((c[0]*256+(c[0]+c[1])/2)/(c[0]+c[1]), 1), 255))
		}
		cost := func(zero byte, counts [2]uint32) float64 { // in bits
			p := float64(zero) / 256
			return -float64(counts[0])*math.Log2(p) - float64(counts[1])*math.Log2(1-p)
		}
		change := fresh != old && cost(fresh, c)+cost(keep, [2]uint32{0, 1})+8 < cost(old, c)+cost(keep, [2]uint32{1, 0})
		w.put(change, keep)
		if change {
			w.number(int(fresh), 8)
			e.odds[i] = fresh
		}
	}
	return e.odds
}

// write sends the tokens through the coder.
func (t *tokens) write(w *boolWriter, odds []byte) {
	for _, k := range t.list {
		if k&fixedOdds != 0 {
			w.put(k&1 == 1, byte(k>>1))
		} else {
			w.put(k&1 == 1, odds[k>>1])
		}
	}
}
