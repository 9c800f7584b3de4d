package film

import "math"

// Coefficients are first recorded as tokens: a bit and the index of its
// probability. When the frame is done and all bits are counted, the best
// probabilities are chosen and the tokens are written with the arithmetic
// encoder.

const (
	planeRest   = iota // luma without the first coefficients
	planeMean          // the first coefficients of luma
	planeChroma        // chroma
)

const (
	numProbs  = 4 * 8 * 3 * 11
	fixedProb = 1 << 15 // marks a token that contains its probability instead of an index
)

// bands maps positions in zigzag order to bands of probabilities. The last entry
// is read, but its value has no effect.
var bands = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}

// large holds the probabilities of the extra bits of the four categories of large
// levels.
var large = [4][]byte{
	{173, 148, 140},
	{176, 155, 140, 135},
	{180, 157, 141, 134, 130},
	{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

type tokens struct {
	list   []uint16
	counts [numProbs][2]uint32
}

func (t *tokens) reset() {
	t.list = t.list[:0]
	t.counts = [numProbs][2]uint32{}
}

// add records a bit whose probability has the index place.
func (t *tokens) add(place int, bit bool) bool {
	b := 0
	if bit {
		b = 1
	}
	t.list = append(t.list, uint16(place<<1|b))
	t.counts[place][b]++
	return bit
}

// sure records a bit that is 0 with the given probability, in 256ths.
func (t *tokens) sure(zero byte, bit int) {
	t.list = append(t.list, fixedProb|uint16(zero)<<1|uint16(bit))
}

// block records the levels of a block from first to n-1. context is the number (0
// to 2) of neighbouring blocks that are not empty. The result is 1 if this block
// is not empty, else 0.
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

// size records the magnitude of a level of 2 or more.
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

// choose replaces default probabilities where that saves bits. It writes the
// replacements into the header and returns all probabilities.
func (t *tokens) choose(w *boolWriter, e *encoder) []byte {
	copy(e.probs, defaultProbabilities)
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
			e.probs[i] = fresh
		}
	}
	return e.probs
}

// write passes the tokens to the arithmetic encoder.
func (t *tokens) write(w *boolWriter, probs []byte) {
	for _, k := range t.list {
		if k&fixedProb != 0 {
			w.put(k&1 == 1, byte(k>>1))
		} else {
			w.put(k&1 == 1, probs[k>>1])
		}
	}
}
