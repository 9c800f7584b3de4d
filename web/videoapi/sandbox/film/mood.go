package film

import (
	"slices"
	"strings"
	"unicode"
)

// A mood is a kind of moving scene.
type mood int

const (
	ridges mood = iota // mountains in haze, with the sun behind them
	dunes              // long slopes, warm light
	sea                // a horizon, light on the water
	aurora             // stars and curtains of light over a dark land
	paper              // cut paper waves, abstract
	city               // lights out of focus
	moods              // the number of moods; also stands for none
)

// newMood returns the painter for a film without pictures. Its kind of scene is
// the one that the words name, or else a random one.
func newMood(f Film, c chance) painter {
	kind, dark := readMood(f.Prompt)
	switch {
	case kind == moods && dark:
		kind = []mood{ridges, sea, aurora}[c.pick(2, 3)]
	case kind == moods:
		kind = mood(c.pick(2, int(moods)))
	}
	hours := slices.Concat(day, dusk)
	switch {
	case dark || kind == aurora:
		hours = night
	case kind == dunes:
		hours = slices.Concat(dusk, day[4:])
	case kind == sea:
		hours = slices.Concat(day[:4], dusk) // without the brown palette
	}
	p := c.choose(hours)
	return map[mood]func(Film, chance, paints) painter{
		ridges: newRidges, dunes: newDunes, sea: newSea, aurora: newAurora, paper: newPaper, city: newCity,
	}[kind](f, c, p)
}

// moodWords holds, for each kind of scene, the words of a prompt that select it.
var moodWords = map[mood]string{
	ridges: "mountain mountains hill hills forest forests valley ridge alps alpine fog mist misty tree trees berg berge wald лес горы fox deer wolf bear",
	dunes:  "desert dune dunes sand camel sahara canyon savanna mars wüste dünen desierto désert пустыня",
	sea:    "sea ocean wave waves beach boat ship island lake river water coast harbour harbor whale fish sail surf meer mar mer море океан θάλασσα",
	aurora: "star stars aurora galaxy space planet cosmos universe rocket astronaut snow winter arctic stern sterne estrella étoile звезда звёзды αστέρι",
	city:   "city street streets neon rain car cars traffic tokyo paris london york skyline tower party concert stadt ville город πόλη",
}

// nightWords are the words of a prompt that select the night.
const nightWords = "night midnight dark darkness moon moonlight moonlit mond луна nacht noche nuit ночь ночной"

// readMood returns the first kind of scene that the prompt names, or moods if it
// names none, and whether it names the night.
func readMood(prompt string) (kind mood, dark bool) {
	kind = moods
	for i, w := range strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if i == 200 {
			break
		}
		for k, list := range moodWords {
			if kind == moods && slices.Contains(strings.Fields(list), w) {
				kind = k
			}
		}
		dark = dark || slices.Contains(strings.Fields(nightWords), w)
	}
	return kind, dark
}
