package film

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// A montage shows the references as cards over a wash of their own colours.
// They come in one after the other and drift, the camera moving in each.
type montage struct {
	w, h  int
	wash  *image.RGBA // a few blurred pixels of all pictures
	cards []card
}

// A card is one picture at its place, in pixels of the frame.
type card struct {
	plate      plate
	x, y, w, h float64
	from, to   look
	drift      [2]float64 // to the right and down, in heights of the frame
	delay      float64
}

const washWidth, washHeight = 12, 8

func newMontage(f Film, c chance) montage {
	m := montage{w: f.Width, h: f.Height, wash: image.NewRGBA(image.Rect(0, 0, washWidth, washHeight))}
	n := len(f.Pictures)
	for i, p := range f.Pictures {
		part := image.Rect(i*washWidth/n, 0, (i+1)*washWidth/n, washHeight)
		if f.stands() {
			part = image.Rect(0, i*washHeight/n, washWidth, (i+1)*washHeight/n)
		}
		draw.CatmullRom.Scale(m.wash, part, p, p.Bounds(), draw.Src, nil)
	}
	for i, box := range layCards(f) {
		k := c.branch(i)
		// Across the row in which they stand, so that no card meets another.
		drift := [2]float64{0, (float64(i%2)*2 - 1) * .012}
		if f.stands() {
			drift[0], drift[1] = drift[1], 0
		}
		side := k.direction(3) * k.between(4, .5, 1)
		m.cards = append(m.cards, card{
			plate: newPlate(f.Pictures[i], int(math.Ceil(box[2])), int(math.Ceil(box[3]))),
			x:     box[0], y: box[1], w: box[2], h: box[3],
			from: look{1, -side * .6, -.2}, to: look{closest, side * .6, .2},
			drift: drift, delay: -.5 + .22*float64(i),
		})
	}
	return m
}

// stands reports whether cards are laid one above the other.
func (f Film) stands() bool { return float64(f.Width) < float64(f.Height)*.95 }

// layCards gives each picture a box (x, y, width, height) of its own shape,
// within limits, all of one height in a wide frame and one width in a tall.
func layCards(f Film) [][4]float64 {
	w, h := float64(f.Width), float64(f.Height)
	margin := .065 * min(w, h*1.3)
	gap := .35 * margin
	area := [4]float64{margin, margin * 1.7, w - 2*margin, h*.63 - margin*1.7}
	shape := make([]float64, len(f.Pictures)) // width over height
	sum, inverse := 0.0, 0.0
	for i, p := range f.Pictures {
		shape[i] = min(max(float64(p.Bounds().Dx())/float64(p.Bounds().Dy()), .62), 1.9)
		sum += shape[i]
		inverse += 1 / shape[i]
	}
	boxes := make([][4]float64, len(shape))
	gaps := gap * float64(len(shape)-1)
	if !f.stands() {
		high := min(area[3], (area[2]-gaps)/sum)
		x, y := area[0]+(area[2]-high*sum-gaps)/2, area[1]+(area[3]-high)/2
		for i, s := range shape {
			boxes[i] = [4]float64{x, y, high * s, high}
			x += high*s + gap
		}
		return boxes
	}
	wide := min(area[2], (area[3]-gaps)/inverse)
	x, y := area[0]+(area[2]-wide)/2, area[1]+(area[3]-wide*inverse-gaps)/2
	for i, s := range shape {
		boxes[i] = [4]float64{x, y, wide, wide / s}
		y += wide/s + gap
	}
	return boxes
}

func (m montage) paint(dst *image.RGBA, at moment) {
	paintField(dst, 0, m.h, func(x, y float64) rgb {
		c := m.colour(x*.8+.1+.05*math.Sin(at.sec*.4), y*.8+.1+.05*math.Cos(at.sec*.33))
		dark := .74 - .22*math.Hypot(x-.5, y-.45) - .2*smooth(.55, 1, y)
		return mix(c, rgb{24, 22, 26}, .22).scale(float32(dark))
	})
	for _, c := range m.cards {
		c.paint(dst, at)
	}
}

// colour reads the wash between its pixels by a quadratic spline, which has
// no creases.
func (m montage) colour(x, y float64) rgb {
	var out rgb
	fx, fy := x*washWidth-.5, y*washHeight-.5
	cx, cy := math.Floor(fx+.5), math.Floor(fy+.5)
	wx, wy := spline(fx-cx), spline(fy-cy)
	for j := range 3 {
		for i := range 3 {
			px := min(max(int(cx)+i-1, 0), washWidth-1)
			py := min(max(int(cy)+j-1, 0), washHeight-1)
			p, t := m.wash.RGBAAt(px, py), float32(wx[i]*wy[j])
			out = rgb{out.r + float32(p.R)*t, out.g + float32(p.G)*t, out.b + float32(p.B)*t}
		}
	}
	return out
}

func spline(t float64) [3]float64 {
	return [3]float64{.5 * (.5 - t) * (.5 - t), .75 - t*t, .5 * (.5 + t) * (.5 + t)}
}

func (c card) paint(dst *image.RGBA, at moment) {
	in := (at.sec - c.delay) / 1.2
	if in <= 0 {
		return
	}
	h := float64(dst.Rect.Dy())
	strength := smooth(0, .6, in)
	far := h * (at.share() - .5) * 2
	x, y := c.x+c.drift[0]*far, c.y+c.drift[1]*far+h*.07*(1-settle(in))
	c.shade(dst, x, y+h*.008, strength)
	box := image.Rect(int(x), int(y), int(math.Ceil(x+c.w))+1, int(math.Ceil(y+c.h))+1)
	line := make([]byte, box.Dx())
	radius := h * .012
	c.plate.paint(dst, box, c.from.toward(c.to, glide(at.share())), func(row int) []byte {
		roundRow(line, float64(box.Min.X)-x, float64(row+box.Min.Y)-y, c.w, c.h, radius, strength)
		return line
	})
}

// roundRow fills a row with the coverage of a rounded rectangle of w by h,
// read from x, y relative to its corner.
func roundRow(row []byte, x, y, w, h, r, strength float64) {
	for i := range row {
		dx := math.Abs(x+float64(i)+.5-w/2) - w/2 + r
		dy := math.Abs(y+.5-h/2) - h/2 + r
		far := max(dx, dy)
		if dx > 0 && dy > 0 {
			far = math.Hypot(dx, dy)
		}
		row[i] = byte(255 * strength * min(max(r-far+.5, 0), 1))
	}
}

// shade darkens softly around the card.
func (c card) shade(dst *image.RGBA, x, y, strength float64) {
	soft := float64(dst.Rect.Dy()) * .045
	box := image.Rect(int(x-soft), int(y-soft), int(x+c.w+soft), int(y+c.h+soft)).Intersect(dst.Rect)
	across := make([]float64, max(0, box.Dx()))
	for i := range across {
		p := float64(i + box.Min.X)
		across[i] = smooth(x-soft, x+soft, p) * (1 - smooth(x+c.w-soft, x+c.w+soft, p))
	}
	for py := box.Min.Y; py < box.Max.Y; py++ {
		p := float64(py)
		t := 120 * strength * smooth(y-soft, y+soft, p) * (1 - smooth(y+c.h-soft, y+c.h+soft, p))
		row := dst.Pix[dst.PixOffset(box.Min.X, py):]
		for i, a := range across {
			if k := uint32(t * a); k > 0 {
				blend(row[i*4:][:4], 0xff<<24, k)
			}
		}
	}
}
