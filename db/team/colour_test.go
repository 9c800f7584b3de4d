package team_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dailies/db/team"
)

// checkShades fails the test unless the shades of the colour are legible in both themes.
func checkShades(t *testing.T, c team.Colour) {
	t.Helper()
	for _, theme := range []team.Theme{team.Light, team.Dark} {
		s := c.Shades(theme)
		for _, back := range append(theme.Backgrounds(), s.Soft) {
			if got := team.Contrast(s.Text, back); got < team.Legible {
				t.Errorf("%s, theme %d: %s on %s has a contrast of %.2f", c, theme, s.Text, back, got)
			}
		}
		if got := team.Contrast(s.On, s.Text); got < team.Legible {
			t.Errorf("%s, theme %d: %s on %s has a contrast of %.2f", c, theme, s.On, s.Text, got)
		}
	}
}

func TestShadesOfEveryColourAreLegible(t *testing.T) {
	const step = 15
	for r := 0; r < 256; r += step {
		for g := 0; g < 256; g += step {
			for b := 0; b < 256; b += step {
				checkShades(t, team.Colour{R: uint8(r), G: uint8(g), B: uint8(b)})
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		checkShades(t, team.Colour{R: uint8(random.Uint32()), G: uint8(random.Uint32()), B: uint8(random.Uint32())})
	}
}

func FuzzColour(f *testing.F) {
	for _, text := range []string{"#0b6157", "#FFFFFF", "#000000", "0b6157", "#0b615", "#0b61577", "red", "", "#gggggg", "#12345é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := team.ParseColour(text)
		if !ok {
			return
		}
		if again, ok := team.ParseColour(c.String()); !ok || again != c {
			t.Errorf("%q becomes %s, and that %s", text, c, again)
		}
		checkShades(t, c)
	})
}

func TestAColourIsSixDigits(t *testing.T) {
	for text, want := range map[string]team.Colour{"#0b6157": {R: 0x0b, G: 0x61, B: 0x57}, "#FfFfFf": {R: 255, G: 255, B: 255}, "#000000": {}} {
		if c, ok := team.ParseColour(text); !ok || c != want {
			t.Errorf("%q: %v, %v", text, c, ok)
		}
	}
	for _, text := range []string{"", "#fff", "0b6157", "#0b6157 ", "#0b615g", "teal", "#0b6157ff", "#+12345"} {
		if c, ok := team.ParseColour(text); ok {
			t.Errorf("%q is %v", text, c)
		}
	}
}

// hue returns the hue of a colour in degrees, by HSV: it need only tell whether two shades
// have about the same.
func hue(c team.Colour) float64 {
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	return math.Atan2(math.Sqrt(3)*(g-b), 2*r-g-b) * 180 / math.Pi
}

func TestShadesKeepWhatIsLegibleAndTheHue(t *testing.T) {
	teal, _ := team.ParseColour("#0b6157")
	if got := teal.Shades(team.Light).Text; got != teal {
		t.Errorf("%s becomes %s although it is legible", teal, got)
	}
	bright, _ := team.ParseColour("#6fd3c4")
	if got := bright.Shades(team.Dark).Text; got != bright {
		t.Errorf("%s becomes %s although it is legible", bright, got)
	}
	for _, text := range []string{"#0b6157", "#c8102e", "#1f4ed8", "#ffd400", "#7a3fb5"} {
		c, _ := team.ParseColour(text)
		for _, theme := range []team.Theme{team.Light, team.Dark} {
			s := c.Shades(theme)
			if apart := math.Abs(math.Mod(hue(s.Text)-hue(c)+540, 360) - 180); apart > 25 {
				t.Errorf("%s, theme %d: %s is %.0f° away", c, theme, s.Text, apart)
			}
			if s.Text == c && theme == team.Light && text == "#ffd400" {
				t.Error("yellow is taken for legible on white")
			}
		}
	}
}
