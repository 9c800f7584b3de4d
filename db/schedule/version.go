package schedule

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Versions are the versions of what pages show, by name. A version is a random number
// that changes with every change of the thing: the names are those of
// PersonVersion and PriceVersion, QueueVersion and UsualVersion. What has
// never changed has the version 0.
type Versions map[string]int64

const (
	// QueueVersion names what the service has not begun, and which key each person uses.
	QueueVersion = "queue"

	// UsualVersion names how long finished videos took.
	UsualVersion = "usual"

	pricePrefix = "price "
)

// PersonVersion names the videos of the person.
func PersonVersion(userID int64) string { return "person " + strconv.FormatInt(userID, 10) }

// PriceVersion names what the videos of the model have cost.
func PriceVersion(model string) string { return pricePrefix + model }

// Prices returns one text for the versions of the prices of all models.
func (v Versions) Prices() string {
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.HasPrefix(name, pricePrefix) {
			text = strconv.AppendInt(append(append(text, name...), '='), v[name], 36)
			text = append(text, ' ')
		}
	}
	return string(text)
}
