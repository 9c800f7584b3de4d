package film

import (
	"encoding/binary"
	"image"
)

// A light returns the colour of a soft gradient at a position: x from 0 at the
// left to 1 at the right, y from 0 at the top to 1 at the bottom.
type light func(x, y float64) rgb

// fieldRows is the number of grid cells over the height. Soft gradients need no
// more, and computing every pixel would take far longer.
const fieldRows = 45

// paintField computes l at the corners of a coarse grid and interpolates in
// between, from the top down to the row bottom.
func paintField(dst *image.RGBA, bottom int, l light) {
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
	above, below := []rgb(nil), line(0)
	for y := range min(bottom, h) {
		k := y % cell
		if k == 0 {
			above, below = below, line(y+cell)
		}
		for i := range mixed {
			mixed[i] = mix(above[i], below[i], float32(k)/float32(cell))
		}
		fieldRow(dst.Pix[y*dst.Stride:][:w*4], mixed, int32(cell))
	}
}

// fieldRow paints one row by interpolating between colours that are cell pixels
// apart.
func fieldRow(row []byte, at []rgb, cell int32) {
	for i := 0; i+1 < len(at); i++ {
		r, g, b := level(at[i].r), level(at[i].g), level(at[i].b)
		dr, dg, db := (level(at[i+1].r)-r)/cell, (level(at[i+1].g)-g)/cell, (level(at[i+1].b)-b)/cell
		for k := int32(0); k < cell && len(row) >= 4; k++ {
			binary.LittleEndian.PutUint32(row, pixel(r, g, b))
			r, g, b = r+dr, g+dg, b+db
			row = row[4:]
		}
	}
}
