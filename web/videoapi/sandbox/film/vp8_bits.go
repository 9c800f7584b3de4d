package film

import "math/bits"

// A boolWriter is the arithmetic encoder of VP8 (RFC 6386, section 7).
type boolWriter struct {
	out   []byte
	low   uint32
	span  uint32
	count int
}

func (w *boolWriter) reset() { w.out, w.low, w.span, w.count = w.out[:0], 0, 255, -24 }

// put writes a bit that is 0 with a probability of zero/256.
func (w *boolWriter) put(bit bool, zero byte) {
	split := 1 + (w.span-1)*uint32(zero)>>8
	if bit {
		w.low += split
		w.span -= split
	} else {
		w.span = split
	}
	shift := bits.LeadingZeros32(w.span) - 24
	w.span <<= shift
	w.count += shift
	if w.count >= 0 {
		shift = w.spill(shift)
	}
	w.low <<= shift
}

// spill moves a whole byte to the output, carrying into the bytes before it, and
// returns by how much low must still be shifted.
func (w *boolWriter) spill(shift int) int {
	offset := shift - w.count
	if w.low<<(offset-1)&0x8000_0000 != 0 {
		i := len(w.out) - 1
		for ; i >= 0 && w.out[i] == 0xff; i-- {
			w.out[i] = 0
		}
		w.out[i]++
	}
	w.out = append(w.out, byte(w.low>>(24-offset)))
	w.low = w.low << offset & 0xff_ffff
	shift = w.count
	w.count -= 8
	return shift
}

// number writes n bits of v, the highest first, with equal probabilities of 0 and
// 1.
func (w *boolWriter) number(v, n int) {
	for n--; n >= 0; n-- {
		w.put(v>>n&1 == 1, 128)
	}
}

// flush writes the bits that are still buffered.
func (w *boolWriter) flush() { w.number(0, 32) }
