package film

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

// A montage shows the references as cards over a wash of their own colours.
// They come in one after the other and drift, with a camera move in each.
type montage struct {
	wash  plate // all pictures, blurred
	cards []card
}

// A card is one picture at its place, in pixels of the frame.
type card struct {
	plate      plate
	x, y, w, h float64
	from, to   look
	drift      [2]float64 // to the right and down, in heights of the frame
	delay      float64    // seconds
}

func newMontage(f Film, c chance) montage {
	const width, height = 6, 4 // so few that the scaled wash is a blur
	var m montage
	n, wash := len(f.Pictures), image.NewRGBA(image.Rect(0, 0, width, height))
	for i, p := range f.Pictures {
		part := image.Rect(i*width/n, 0, (i+1)*width/n, height)
		if f.stands() {
			part = image.Rect(0, i*height/n, width, (i+1)*height/n)
		}
		draw.CatmullRom.Scale(wash, part, p, p.Bounds(), draw.Src, nil)
	}
	draw.Draw(wash, wash.Rect, image.NewUniform(color.NRGBA{12, 11, 13, 100}), image.Point{}, draw.Over)
	m.wash = newPlate(wash, f.Width, f.Height)
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

// stands reports whether the cards lie one above the other.
func (f Film) stands() bool { return float64(f.Width) < float64(f.Height)*.95 }

// layCards returns a box (x, y, width, height) of its own shape, within limits,
// for each picture. In a wide frame they have one height, in a tall one width.
func layCards(f Film) [][4]float64 {
	w, h := float64(f.Width), float64(f.Height)
	margin := .065 * min(w, h*1.3)
	gap := .35 * margin
	long, cross := w-2*margin, h*.63-margin*1.7 // of the area along and across the row
	if f.stands() {
		long, cross = cross, long
	}
	boxes, sum := make([][4]float64, len(f.Pictures)), 0.0
	for i, p := range f.Pictures {
		shape := min(max(float64(p.Bounds().Dx())/float64(p.Bounds().Dy()), .62), 1.9)
		if f.stands() {
			shape = 1 / shape
		}
		boxes[i][2] = shape
		sum += shape
	}
	gaps := gap * float64(len(boxes)-1)
	size := min(cross, (long-gaps)/sum)
	at := (long - size*sum - gaps) / 2
	for i, b := range boxes {
		b = [4]float64{at, (cross - size) / 2, size * b[2], size}
		at += b[2] + gap
		if f.stands() {
			b[0], b[1], b[2], b[3] = b[1], b[0], b[3], b[2]
		}
		boxes[i] = [4]float64{margin + b[0], margin*1.7 + b[1], b[2], b[3]}
	}
	return boxes
}

func (m montage) paint(dst *image.RGBA, at moment) {
	m.wash.paint(dst, dst.Rect, look{1.05, .8 * math.Sin(at.sec*.4), .8 * math.Cos(at.sec*.33)}, nil)
	for _, c := range m.cards {
		c.paint(dst, at)
	}
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
	box := image.Rect(int(x), int(y), int(math.Ceil(x+c.w))+1, int(math.Ceil(y+c.h))+1)
	line := make([]byte, dst.Rect.Dx()+box.Dx())
	// The shadow lies a little below the card and reaches beyond it.
	soft := h * .09
	shade := box.Inset(-int(soft / 2)).Intersect(dst.Rect)
	for row := shade.Min.Y; row < shade.Max.Y; row++ {
		cover := line[:max(0, shade.Dx())]
		c.round(cover, float64(shade.Min.X)-x, float64(row)-y-h*.008, soft, soft, strength*.45)
		for i, k := range cover {
			blend(dst.Pix[dst.PixOffset(shade.Min.X+i, row):][:4], 0xff<<24, uint32(k))
		}
	}
	c.plate.paint(dst, box, c.from.toward(c.to, glide(at.share())), func(row int) []byte {
		c.round(line[:box.Dx()], float64(box.Min.X)-x, float64(row+box.Min.Y)-y, h*.012, 1, strength)
		return line
	})
}

// round fills a row with the coverage of the card's rectangle, with corners of a
// radius and an edge of some softness. The row begins at x, y relative to the
// rectangle's corner.
func (c card) round(row []byte, x, y, radius, soft, strength float64) {
	for i := range row {
		dx := math.Abs(x+float64(i)+.5-c.w/2) - c.w/2 + radius
		dy := math.Abs(y+.5-c.h/2) - c.h/2 + radius
		far := max(dx, dy)
		if dx > 0 && dy > 0 {
			far = math.Hypot(dx, dy)
		}
		row[i] = byte(255 * strength * min(max((radius-far)/soft+.5, 0), 1))
	}
}
