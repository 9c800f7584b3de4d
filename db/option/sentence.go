package option

import (
	"fmt"

	"dailies/db/format"
)

// The sentences about a model with the name %s that does not offer an option.
const (
	noLength     = "%s doesn’t let you choose the length."
	noShape      = "%s doesn’t let you choose the shape."
	noResolution = "%s doesn’t let you choose the resolution."
	noSafety     = "%s can’t switch the safety check."
	cannotSound  = "%s can’t make sound."
	makesNoSound = "%s makes no sound."
	cannotFix    = "%s can’t keep the camera still."
	noSeed       = "%s takes no seed."
	noSeedHere   = "%s takes no seed. Leave it empty."
	pictureShape = "%s lets the picture decide the shape."
	alwaysSound  = "%s always makes sound."
)

const chooseOnOff = "Choose on or off."

// makesOnly says that the model makes a single value, and what was chosen instead.
func makesOnly(model, only, chosen string) string {
	return fmt.Sprintf("%s makes %s only, so we set %s.", model, only, chosen)
}

// makesNot says that the model does not make the value, and what was chosen instead.
func makesNot(model, value, chosen string) string {
	return fmt.Sprintf("%s doesn’t make %s, so we set %s.", model, value, chosen)
}

// canMake says which values the model makes instead of the one that was sent.
func canMake(model string, choices []string, sent string) string {
	if last := len(choices) - 1; last > 0 {
		return fmt.Sprintf("%s can make %s or %s here, not %q.", model, format.List(choices[:last]), choices[last], sent)
	}
	return fmt.Sprintf("%s can make %s here, not %q.", model, format.List(choices), sent)
}

// outOfRange says which seeds the model accepts.
func outOfRange(s Seed) string {
	return fmt.Sprintf("Enter a whole number from %d to %d, or leave it empty.", s.Min, s.Max)
}
