package film

import (
	"image"
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
