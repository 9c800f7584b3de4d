package film

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

func newScene(f Film) painter { return plain{f} }

type plain struct{ f Film }

func (p plain) paint(dst *image.RGBA, at moment) {
	b := dst.Bounds()
	if n := len(p.f.Pictures); n > 0 {
		src := p.f.Pictures[min(n-1, int(at.share()*float64(n)))]
		draw.ApproxBiLinear.Scale(dst, b, src, src.Bounds(), draw.Src, nil)
		return
	}
	v := uint8(60 + 30*math.Sin(at.sec))
	draw.Draw(dst, b, image.NewUniform(color.RGBA{v, 40, 90, 255}), image.Point{}, draw.Src)
}

type title struct{}

func newTitle(Film) (title, error) { return title{}, nil }

func (title) paint(*image.RGBA, moment) {}
