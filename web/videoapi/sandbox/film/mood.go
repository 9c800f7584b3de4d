package film

import (
	"strings"
	"unicode"
)

// A mood is a kind of moving scene.
type mood int

const (
	ridges mood = iota // mountains in haze, the sun behind them
	dunes              // long slopes, warm light
	sea                // a horizon, light on the water
	aurora             // stars and curtains of light over a dark land
	paper              // cut paper waves, abstract
	city               // lights out of focus
	moods
)

// newMood returns the scene for words alone: the kind that the words name, if they
// name one, else one by chance.
func newMood(f Film, c chance) painter {
	kind, dark := readMood(f.Prompt)
	switch {
	case kind == moods && dark:
		kind = []mood{ridges, sea, aurora}[c.pick(2, 3)]
	case kind == moods:
		kind = mood(c.pick(2, int(moods)))
	}
	hours := append(day(), dusk()...)
	if dark {
		hours = night()
	}
	switch kind {
	case ridges:
		return newRidges(f, c, hours)
	case dunes:
		if !dark {
			hours = append(dusk(), day()[4])
		}
		return newDunes(f, c, hours)
	case sea:
		if !dark {
			hours = append(day()[:4], dusk()...) // no brown water
		}
		return newSea(f, c, hours)
	case aurora:
		return newAurora(f, c)
	case city:
		return newCity(f, c)
	}
	return newPaper(f, c, hours)
}

// readMood looks for words that ask for a kind of scene, and for the night.
// It returns moods if there are none.
func readMood(prompt string) (kind mood, dark bool) {
	words := map[string]mood{}
	for kind, list := range map[mood]string{
		ridges: "mountain mountains hill hills forest forests valley ridge alps alpine fog mist misty tree trees berg berge wald лес горы fox deer wolf bear",
		dunes:  "desert dune dunes sand camel sahara canyon savanna mars wüste dünen desierto désert пустыня",
		sea:    "sea ocean wave waves beach boat ship island lake river water coast harbour harbor whale fish sail surf meer mar mer море океан θάλασσα",
		aurora: "star stars aurora galaxy space planet cosmos universe rocket astronaut snow winter arctic stern sterne estrella étoile звезда звёзды αστέρι",
		city:   "city street streets neon rain car cars traffic tokyo paris london york skyline tower party concert stadt ville город πόλη",
	} {
		for _, w := range strings.Fields(list) {
			words[w] = kind
		}
	}
	const nights = " night midnight dark darkness moon moonlight moonlit mond луна nacht noche nuit ночь ночной "
	kind = moods
	split := func(r rune) bool { return !unicode.IsLetter(r) }
	for i, w := range strings.FieldsFunc(strings.ToLower(prompt), split) {
		if i == 200 {
			break
		}
		if k, ok := words[w]; ok && kind == moods {
			kind = k
		}
		dark = dark || strings.Contains(nights, " "+w+" ")
	}
	return kind, dark
}
