package film

import (
	"encoding/binary"
	"image"
)

// A light gives the colour of soft light at a place: x from 0 at the left to
// 1 at the right, y from 0 at the top to 1 at the bottom.
type light func(x, y float64) rgb

// fieldRows is the number of cells over the height: light this soft needs no
// more, and it costs a hundredth of asking at every pixel.
const fieldRows = 45

// paintField asks for the light at the corners of a coarse grid and blends in
// between, dithered, over the rows from top to bottom.
func paintField(dst *image.RGBA, top, bottom int, l light) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	cell := max(4, (h+fieldRows-1)/fieldRows)
	cols := (w+cell-1)/cell + 1
	line := func(y int) []rgb {
		out := make([]rgb, cols)
		for i := range out {
			out[i] = l(float64(i*cell)/float64(w), float64(y)/float64(h))
		}
		return out
	}
	mixed := make([]rgb, cols)
	above, below := []rgb(nil), line(top)
	for y := top; y < bottom; y++ {
		k := (y - top) % cell
		if k == 0 {
			above, below = below, line(y+cell)
		}
		for i := range mixed {
			mixed[i] = mix(above[i], below[i], float32(k)/float32(cell))
		}
		fieldRow(dst.Pix[y*dst.Stride:][:w*4], mixed, cell, y)
	}
}

// fieldRow paints one row between colours that stand a cell apart.
func fieldRow(row []byte, at []rgb, cell, y int) {
	var d [8]int32
	for i := range d {
		d[i] = int32(dither(i, y)) << 8
	}
	x := 0
	for i := 0; i+1 < len(at) && len(row) > 0; i++ {
		r, g, b := level(at[i].r), level(at[i].g), level(at[i].b)
		n := int32(cell)
		dr, dg, db := (level(at[i+1].r)-r)/n, (level(at[i+1].g)-g)/n, (level(at[i+1].b)-b)/n
		for k := 0; k < cell && len(row) >= 4; k++ {
			t := d[x&7]
			binary.LittleEndian.PutUint32(row, uint32((r+t)>>16)|uint32((g+t)>>16)<<8|uint32((b+t)>>16)<<16|0xff<<24)
			r, g, b = r+dr, g+dg, b+db
			row = row[4:]
			x++
		}
	}
}
