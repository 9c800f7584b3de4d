package film

import (
	"encoding/binary"
	"image"

	"golang.org/x/image/draw"

	"dailies/web/picture"
)

// closest is how far a camera moves in; pictures are scaled for it once, so
// that every frame is a slight reduction and stays sharp.
const closest = 1.14

// A plate is a picture scaled so that it fills a frame even at the closest.
type plate struct {
	img  *image.RGBA
	w, h int // of the frame it is for
}

// newPlate scales a picture to cover a frame of w by h. What reaches far over
// the frame's long side is cut off evenly.
func newPlate(src image.Image, w, h int) plate {
	b := src.Bounds()
	scale := max(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy())) * closest
	const reach = 1.6 // room to pan along, in frames
	fullW, fullH := float64(b.Dx())*scale, float64(b.Dy())*scale
	outW, outH := min(fullW, float64(w)*reach*closest), min(fullH, float64(h)*reach*closest)
	p := plate{image.NewRGBA(image.Rect(0, 0, int(outW+2), int(outH+2))), w, h}
	src = picture.Halve(src, image.Pt(int(fullW), int(fullH)))
	b = src.Bounds()
	cut := image.Rect(0, 0, max(1, int(outW/fullW*float64(b.Dx()))), max(1, int(outH/fullH*float64(b.Dy()))))
	cut = cut.Add(b.Min).Add(image.Pt((b.Dx()-cut.Dx())/2, (b.Dy()-cut.Dy())/2))
	draw.Draw(p.img, p.img.Rect, image.White, image.Point{}, draw.Src)
	scaler(p.img.Rect.Dx(), cut.Dy()).Scale(p.img, p.img.Rect, src, cut, draw.Over, nil)
	return p
}

// scaler returns the sharp one, unless the 32 bytes that it keeps for each pixel
// between its passes would be too many. A picture that large has detail enough.
func scaler(width, rows int) draw.Scaler {
	if width*rows*32 > 48<<20 {
		return draw.ApproxBiLinear
	}
	return draw.CatmullRom
}

// A look is where a camera looks on a plate: zoom from 1 to closest, and how
// far over, from -1 (left, top) to 1, of the room that the zoom leaves.
type look struct{ zoom, x, y float64 }

// toward returns the look at t of the way to another.
func (l look) toward(m look, t float64) look {
	return look{l.zoom + (m.zoom-l.zoom)*t, l.x + (m.x-l.x)*t, l.y + (m.y-l.y)*t}
}

// A mask gives a row's coverage as bytes 0 to 255, or nil for none, or full
// rows where the mask itself is nil.
type mask func(y int) []byte

// paint shows the plate in the rectangle at, through the mask.
func (p plate) paint(dst *image.RGBA, at image.Rectangle, l look, m mask) {
	step := closest / l.zoom * float64(p.w) / float64(at.Dx())
	roomX := max(0, float64(p.img.Rect.Dx()-2)-step*float64(at.Dx()))
	roomY := max(0, float64(p.img.Rect.Dy()-2)-step*float64(at.Dy()))
	x0, y0 := roomX*(l.x+1)/2, roomY*(l.y+1)/2
	stepF := int(step * 65536)
	clip := at.Intersect(dst.Rect)
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		var cover []byte
		if m != nil {
			if cover = m(y - at.Min.Y); cover == nil {
				continue
			}
			cover = cover[clip.Min.X-at.Min.X:]
		}
		v := int((y0 + float64(y-at.Min.Y)*step) * 65536)
		u := int((x0 + float64(clip.Min.X-at.Min.X)*step) * 65536)
		top := p.img.Pix[min(v>>16, p.img.Rect.Dy()-2)*p.img.Stride:]
		row := dst.Pix[dst.PixOffset(clip.Min.X, y):][:clip.Dx()*4]
		sampleRow(row, top[:p.img.Stride*2], p.img.Stride, u, stepF, uint32(v>>8&0xff), cover)
	}
}

// sampleRow reads along two rows of a plate, blending the four nearest pixels.
func sampleRow(row, src []byte, stride, u, step int, v uint32, cover []byte) {
	last := stride/4 - 2
	for i := 0; i*4 < len(row); i++ {
		if cover == nil || cover[i] > 0 {
			k := min(u>>16, last) * 4
			a, b := binary.LittleEndian.Uint64(src[k:]), binary.LittleEndian.Uint64(src[stride+k:])
			t := uint32(u >> 8 & 0xff)
			px := lerp(lerp(uint32(a), uint32(a>>32), t), lerp(uint32(b), uint32(b>>32), t), v)
			if cover != nil && cover[i] < 255 {
				px = lerp(binary.LittleEndian.Uint32(row[i*4:]), px, uint32(cover[i]))
			}
			binary.LittleEndian.PutUint32(row[i*4:], px|0xff<<24)
		}
		u += step
	}
}
