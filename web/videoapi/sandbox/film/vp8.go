package film

import (
	"image"
	"math/bits"
	"slices"
)

// The prediction modes.
const (
	modeDC = iota
	modeVertical
	modeHorizontal
	modeMotion // "TrueMotion": left plus above minus corner
)

// An encoder turns pictures of one size into VP8 key frames (RFC 6386). It has
// only what a film needs: it predicts whole macroblocks, in the mode that fits
// best, with one quality level for the whole frame. That makes it several times
// faster than encoders for still pictures, which search for the best encoding.
type encoder struct {
	w, h, mbw, mbh int

	planes     [3]plane // the source, replaced by what a decoder reconstructs
	blocks     []macroblock
	above      [][9]uint8 // by column, which blocks above are not empty: 4 luma, 2+2 chroma, 1 of means
	left       [9]uint8   // the same for the blocks on the left, by row
	tokens     tokens
	header     boolWriter
	body       boolWriter
	luma       quantizer
	means      quantizer // of the first coefficients of luma, which VP8 codes as a block of their own
	chroma     quantizer
	probs      []byte    // probabilities of the frame's tokens
	prediction [256]byte // of the current macroblock
	residue    [16]block // source minus prediction
}

type plane struct {
	pix    []byte
	stride int
}

// A macroblock holds what the header partition says about 16 by 16 pixels.
type macroblock struct {
	luma, chroma uint8
	skip         bool
}

func newEncoder(w, h int) *encoder {
	e := &encoder{w: w, h: h, mbw: (w + 15) / 16, mbh: (h + 15) / 16, probs: make([]byte, numProbs)}
	e.blocks = make([]macroblock, e.mbw*e.mbh)
	e.above = make([][9]uint8, e.mbw)
	for i := range e.planes {
		side := 16
		if i > 0 {
			side = 8
		}
		e.planes[i] = plane{make([]byte, e.mbw*side*e.mbh*side), e.mbw * side}
	}
	return e
}

// coarsest is the level beyond which a frame cannot become smaller.
const coarsest = 132

// encode encodes img as a key frame at a level, from 0 (best) to coarsest. Levels
// above 127, where the format ends, leave out the finer structure.
func (e *encoder) encode(img *image.RGBA, level int) []byte {
	e.convert(img)
	e.setLevel(level)
	e.tokens.reset()
	clear(e.above)
	for y := range e.mbh {
		e.left = [9]uint8{}
		for x := range e.mbw {
			e.macroblock(x, y)
		}
	}
	return e.write(level)
}

// setLevel sets the quantization steps of RFC 6386, section 9.6.
func (e *encoder) setLevel(level int) {
	reach := min(16, 16-3*(level-127))
	level = min(level, 127)
	e.luma = newQuantizer(dcSteps[level], acSteps[level], 96, 110, reach)
	e.means = newQuantizer(dcSteps[level]*2, max(8, acSteps[level]*155/100), 96, 108, 16)
	e.chroma = newQuantizer(min(dcSteps[level-tintFiner(level)], 132), acSteps[level], 110, 115, reach)
}

// tintFiner returns by how many levels the first coefficients of chroma are finer
// than the rest: in dark gradients, steps in colour are seen before steps in
// brightness.
func tintFiner(level int) int { return min(15, level) }

// write assembles the frame: a tag, the header partition with the modes, and the
// partition with the coefficients.
func (e *encoder) write(level int) []byte {
	level = min(level, 127)
	w := &e.header
	w.reset()
	w.number(0, 2) // colour space, clamping
	w.number(0, 1) // no segments
	w.number(0, 1) // the normal loop filter
	w.number(min(63, level*3/8+1), 6)
	w.number(0, 3+1+2) // sharpness, no adjustments, one partition
	w.number(level, 7)
	w.number(0, 3)
	w.number(1, 1) // only the first coefficients of chroma have their own level
	w.number(tintFiner(level)<<1|1, 5)
	w.number(0, 1)
	w.number(0, 1) // the probabilities apply to this frame only
	probs := e.tokens.choose(w, e)
	e.writeModes(w)
	w.flush()

	e.body.reset()
	e.tokens.write(&e.body, probs)
	e.body.flush()

	tag := len(w.out)<<5 | 1<<4 // a key frame, version 0, shown
	return slices.Concat([]byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a,
		byte(e.w), byte(e.w >> 8), byte(e.h), byte(e.h >> 8)}, w.out, e.body.out)
}

func (e *encoder) writeModes(w *boolWriter) {
	full := 0
	for _, b := range e.blocks {
		if !b.skip {
			full++
		}
	}
	prob := byte(min(max(full*256/len(e.blocks), 1), 255))
	// The probability of a block that is not skipped.
	w.number(1, 1)
	w.number(int(prob), 8)
	for _, b := range e.blocks {
		w.put(b.skip, prob)
		w.put(true, 145)
		if w.put(b.luma >= modeHorizontal, 156); b.luma >= modeHorizontal {
			w.put(b.luma == modeMotion, 128)
		} else {
			w.put(b.luma == modeVertical, 163)
		}
		if w.put(b.chroma != modeDC, 142); b.chroma != modeDC {
			if w.put(b.chroma != modeVertical, 114); b.chroma != modeVertical {
				w.put(b.chroma == modeMotion, 183)
			}
		}
	}
}

// convert fills the planes from a picture, in the limited range of ITU-R BT.601
// that players expect, with one chroma sample for four pixels. Beyond the
// picture's edge it repeats the last pixels.
func (e *encoder) convert(img *image.RGBA) {
	wide, half := e.planes[0].stride, e.planes[1].stride
	for y := 0; y < e.mbh*16; y += 2 {
		a := img.Pix[min(y, e.h-1)*img.Stride:][:e.w*4]
		b := img.Pix[min(y+1, e.h-1)*img.Stride:][:e.w*4]
		luma, below := e.planes[0].pix[y*wide:][:wide], e.planes[0].pix[(y+1)*wide:][:wide]
		cb, cr := e.planes[1].pix[y/2*half:][:half], e.planes[2].pix[y/2*half:][:half]
		for i := range cb {
			p := min(i*8, len(a)-8)
			u, v := a[p:p+8], b[p:p+8]
			luma[2*i], luma[2*i+1] = light8(u[0], u[1], u[2]), light8(u[4], u[5], u[6])
			below[2*i], below[2*i+1] = light8(v[0], v[1], v[2]), light8(v[4], v[5], v[6])
			r := int32(u[0]) + int32(u[4]) + int32(v[0]) + int32(v[4])
			g := int32(u[1]) + int32(u[5]) + int32(v[1]) + int32(v[5])
			c := int32(u[2]) + int32(u[6]) + int32(v[2]) + int32(v[6])
			cb[i] = byte((-9719*r - 19081*g + 28800*c + 128<<18 + 1<<17) >> 18)
			cr[i] = byte((28800*r - 24116*g - 4684*c + 128<<18 + 1<<17) >> 18)
		}
	}
}

// light8 returns the luma of a pixel.
func light8(r, g, b byte) byte {
	return byte((16839*int32(r) + 33059*int32(g) + 6420*int32(b) + 16<<16 + 1<<15) >> 16)
}

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
