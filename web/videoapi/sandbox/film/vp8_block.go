package film

// macroblock predicts and encodes 16 by 16 pixels. It leaves in the planes what a
// decoder reconstructs, from which the neighbours are predicted.
func (e *encoder) macroblock(mx, my int) {
	b := &e.blocks[my*e.mbw+mx]
	var (
		levels [25][16]int16
		sizes  [25]int
		any    bool
	)
	above := &e.above[mx]

	luma := e.planes[0].at(mx, my, 16)
	b.luma = e.best(mx, my, 16, luma)
	e.predict(b.luma, mx, my, luma)
	var mean block
	for i := range 16 {
		r := &e.residue[i]
		if luma.difference(r, &e.prediction, i%4*4, i/4*4) < e.luma.quiet {
			mean[i] = r.flat()
			continue
		}
		r.forward()
		mean[i] = r[0]
		sizes[i] = e.luma.apply(r, &levels[i], 1)
		any = any || sizes[i] > 0
	}
	mean.forwardWalsh()
	sizes[24] = e.means.apply(&mean, &levels[24], 0)
	mean.inverseWalsh()
	for i := range 16 {
		r := &e.residue[i]
		r[0] = mean[i]
		luma.restore(r, &e.prediction, i%4*4, i/4*4, sizes[i] > 0)
	}

	tint := [2]patch{e.planes[1].at(mx, my, 8), e.planes[2].at(mx, my, 8)}
	b.chroma = e.best(mx, my, 8, tint[0], tint[1])
	for k, p := range tint {
		e.predict(b.chroma, mx, my, p)
		for j := range 4 {
			i := 16 + k*4 + j
			r := &e.residue[j]
			if p.difference(r, &e.prediction, j%2*4, j/2*4) < e.chroma.quiet {
				*r = block{r.flat()}
			} else {
				r.forward()
			}
			sizes[i] = e.chroma.apply(r, &levels[i], 0)
			any = any || sizes[i] > 0
			p.restore(r, &e.prediction, j%2*4, j/2*4, sizes[i] > 1)
		}
	}

	if b.skip = !any && sizes[24] == 0; b.skip {
		*above, e.left = [9]uint8{}, [9]uint8{}
		return
	}
	e.note(&levels, &sizes, above)
}

// note records the tokens of a macroblock, the means first.
func (e *encoder) note(levels *[25][16]int16, sizes *[25]int, above *[9]uint8) {
	put := func(i, first, plane, up, side int) {
		context := int(above[up] + e.left[side])
		full := e.tokens.block(&levels[i], first, max(sizes[i], first), plane, context)
		above[up], e.left[side] = full, full
	}
	put(24, 0, planeMean, 8, 8)
	for i := range 16 {
		put(i, 1, planeRest, i%4, i/4)
	}
	for i := range 8 {
		k := 4 + i/4*2
		put(16+i, 0, planeChroma, k+i%2, k+i%4/2)
	}
}

// A patch is the part of a plane that belongs to one macroblock.
type patch struct {
	plane
	at, side int
}

func (p plane) at(mx, my, side int) patch {
	return patch{p, my*side*p.stride + mx*side, side}
}

// difference stores in b the source minus the prediction, for the 4 by 4 pixels
// at x, y. It returns the sum of the absolute differences.
func (p patch) difference(b *block, prediction *[256]byte, x, y int) (sum int32) {
	for j := range 4 {
		s := p.pix[p.at+(y+j)*p.stride+x:][:4]
		g := prediction[(y+j)*16+x:][:4]
		for i := range 4 {
			d := int32(s[i]) - int32(g[i])
			b[j*4+i] = d
			sum += abs(d)
		}
	}
	return sum
}

// restore replaces the source by the prediction plus the inverse transform of b.
// If all is false, only the first coefficient of b counts, which is faster.
func (p patch) restore(b *block, prediction *[256]byte, x, y int, all bool) {
	if all {
		b.inverse()
	} else {
		dc := (b[0] + 4) >> 3
		for i := range b {
			b[i] = dc
		}
	}
	for j := range 4 {
		s := p.pix[p.at+(y+j)*p.stride+x:][:4]
		g := prediction[(y+j)*16+x:][:4]
		for i := range 4 {
			s[i] = clip8(int32(g[i]) + b[j*4+i])
		}
	}
}

// edges holds the pixels above and to the left of a patch, and the corner.
type edges struct {
	above, left [16]int32
	corner      int32
}

func (p patch) edges(mx, my int) (e edges) {
	if my > 0 {
		for i, v := range p.pix[p.at-p.stride:][:p.side] {
			e.above[i] = int32(v)
		}
	}
	if mx > 0 {
		for j := range p.side {
			e.left[j] = int32(p.pix[p.at+j*p.stride-1])
		}
	}
	if mx > 0 && my > 0 {
		e.corner = int32(p.pix[p.at-p.stride-1])
	}
	return e
}

// mean returns the flat prediction: the average of the edges inside the frame.
func (e *edges) mean(mx, my, side int) int32 {
	n := int32(min(mx, 1)+min(my, 1)) * int32(side)
	if n == 0 {
		return 128
	}
	sum := n / 2
	for i := range side { // an edge outside the frame is zero
		sum += e.above[i] + e.left[i]
	}
	return sum / n
}

// best returns the mode whose prediction is closest to the source, in every
// second row of patches that share a mode. It ignores modes that need edges
// outside the frame.
func (e *encoder) best(mx, my, side int, patches ...patch) uint8 {
	var far [4]int32
	for _, p := range patches {
		ed := p.edges(mx, my)
		mean := ed.mean(mx, my, side)
		for y := 0; y < side; y += 2 {
			row := p.pix[p.at+y*p.stride:][:side]
			left := ed.left[y]
			slope := left - ed.corner
			for x, v := range row {
				v, a := int32(v), ed.above[x&15]
				far[modeDC] += abs(v - mean)
				far[modeVertical] += abs(v - a)
				far[modeHorizontal] += abs(v - left)
				far[modeMotion] += abs(v - min(max(a+slope, 0), 255))
			}
		}
	}
	mode := uint8(modeDC)
	for m, possible := range [4]bool{true, my > 0, mx > 0, mx > 0 && my > 0} {
		if possible && far[m] < far[mode] {
			mode = uint8(m)
		}
	}
	return mode
}

func abs(v int32) int32 {
	s := v >> 31
	return (v ^ s) - s
}

// predict fills the prediction for a patch.
func (e *encoder) predict(mode uint8, mx, my int, p patch) {
	ed := p.edges(mx, my)
	fill := byte(ed.mean(mx, my, p.side))
	for y := range p.side {
		row := e.prediction[y*16:][:p.side]
		switch mode {
		case modeVertical:
			copy(row, p.pix[p.at-p.stride:])
			continue
		case modeMotion:
			slope := ed.left[y] - ed.corner
			for x := range row {
				row[x] = clip8(ed.above[x&15] + slope)
			}
			continue
		case modeHorizontal:
			fill = byte(ed.left[y])
		}
		for x := range row {
			row[x] = fill
		}
	}
}

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
