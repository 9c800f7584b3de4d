package film

// The transforms are those of RFC 6386, section 14; the forward ones are their
// rounded inverses, as in libwebp. A block has 4 by 4 values, row by row.

type block [16]int32

// forward transforms differences into coefficients, in place.
func (b *block) forward() {
	for i := 0; i < 16; i += 4 {
		a0, a1 := b[i]+b[i+3], b[i+1]+b[i+2]
		a2, a3 := b[i+1]-b[i+2], b[i]-b[i+3]
		b[i] = (a0 + a1) * 8
		b[i+1] = (a2*2217 + a3*5352 + 1812) >> 9
		b[i+2] = (a0 - a1) * 8
		b[i+3] = (a3*2217 - a2*5352 + 937) >> 9
	}
	for i := range 4 {
		a0, a1 := b[i]+b[12+i], b[4+i]+b[8+i]
		a2, a3 := b[4+i]-b[8+i], b[i]-b[12+i]
		b[i] = (a0 + a1 + 7) >> 4
		b[4+i] = (a2*2217 + a3*5352 + 12000) >> 16
		if a3 != 0 {
			b[4+i]++
		}
		b[8+i] = (a0 - a1 + 7) >> 4
		b[12+i] = (a3*2217 - a2*5352 + 51000) >> 16
	}
}

// inverse transforms coefficients into differences, in place.
func (b *block) inverse() {
	const c1, c2 = 85627, 35468
	for i := range 4 {
		a, d := b[i]+b[8+i], b[i]-b[8+i]
		c := b[4+i]*c2>>16 - b[12+i]*c1>>16
		e := b[4+i]*c1>>16 + b[12+i]*c2>>16
		b[i], b[4+i], b[8+i], b[12+i] = a+e, d+c, d-c, a-e
	}
	for i := 0; i < 16; i += 4 {
		a, d := b[i]+4+b[i+2], b[i]+4-b[i+2]
		c := b[i+1]*c2>>16 - b[i+3]*c1>>16
		e := b[i+1]*c1>>16 + b[i+3]*c2>>16
		b[i], b[i+1], b[i+2], b[i+3] = (a+e)>>3, (d+c)>>3, (d-c)>>3, (a-e)>>3
	}
}

// forwardWalsh transforms the sixteen first coefficients of a macroblock.
func (b *block) forwardWalsh() {
	for i := 0; i < 16; i += 4 {
		a0, a1 := b[i]+b[i+2], b[i+1]+b[i+3]
		a2, a3 := b[i+1]-b[i+3], b[i]-b[i+2]
		b[i], b[i+1], b[i+2], b[i+3] = a0+a1, a3+a2, a3-a2, a0-a1
	}
	for i := range 4 {
		a0, a1 := b[i]+b[8+i], b[4+i]+b[12+i]
		a2, a3 := b[4+i]-b[12+i], b[i]-b[8+i]
		b[i], b[4+i], b[8+i], b[12+i] = (a0+a1)>>1, (a3+a2)>>1, (a3-a2)>>1, (a0-a1)>>1
	}
}

func (b *block) inverseWalsh() {
	for i := range 4 {
		a0, a1 := b[i]+b[12+i], b[4+i]+b[8+i]
		a2, a3 := b[4+i]-b[8+i], b[i]-b[12+i]
		b[i], b[8+i], b[4+i], b[12+i] = a0+a1, a0-a1, a3+a2, a3-a2
	}
	for i := 0; i < 16; i += 4 {
		dc := b[i] + 3
		a0, a1 := dc+b[i+3], b[i+1]+b[i+2]
		a2, a3 := b[i+1]-b[i+2], dc-b[i+3]
		b[i], b[i+1], b[i+2], b[i+3] = (a0+a1)>>3, (a3+a2)>>3, (a0-a1)>>3, (a3-a2)>>3
	}
}

// A quantizer divides coefficients by a step, one for the first and another for
// the rest, and rounds down a little, so that noise becomes zero.
type quantizer struct {
	step, inverse, bias [2]int32
	least               [2]int32 // smaller coefficients become zero
	quiet               int32    // with a smaller sum of differences, only the first coefficient is not zero
	reach               int      // the number of coefficients that are kept
}

// newQuantizer makes a quantizer from the steps, the rounding offsets in 256ths
// of a step, and the number of coefficients, of sixteen, to keep.
func newQuantizer(dc, ac, dcBias, acBias int32, reach int) quantizer {
	q := quantizer{
		step: [2]int32{dc, ac}, inverse: [2]int32{1 << 17 / dc, 1 << 17 / ac},
		bias: [2]int32{dcBias << 9, acBias << 9}, reach: reach,
	}
	for i := range q.least {
		q.least[i] = (1<<17 - q.bias[i] + q.inverse[i] - 1) / q.inverse[i]
	}
	// No coefficient but the first is larger than 0.86 of the sum of differences.
	q.quiet = q.least[1] * 8 / 7
	return q
}

// apply replaces the coefficients from index first on by those that a decoder
// will read, and fills levels in zigzag order. It returns the number of levels up
// to the last that is not zero.
func (q *quantizer) apply(b *block, levels *[16]int16, first int) (n int) {
	for i := first; i < 16; i++ {
		z := zigzag[i]
		k := 1
		if z == 0 {
			k = 0
		}
		c := b[z&15]
		v := abs(c)
		if v < q.least[k] || i >= q.reach {
			b[z&15] = 0
			continue
		}
		v = min((v*q.inverse[k]+q.bias[k])>>17, 2047)
		if c < 0 {
			v = -v
		}
		levels[i] = int16(v)
		b[z&15] = v * q.step[k]
		n = i + 1
	}
	return n
}

// flat returns the first coefficient of differences whose other coefficients are
// zero.
func (b *block) flat() int32 {
	sum := int32(7)
	for _, v := range b {
		sum += v * 8
	}
	return sum >> 4
}

// zigzag is the order in which a block's coefficients are written.
var zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// clip8 limits v to a byte.
func clip8(v int32) byte {
	if uint32(v) <= 255 {
		return byte(v)
	}
	return byte(^(v >> 31))
}
