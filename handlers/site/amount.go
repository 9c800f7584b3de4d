package site

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// thousands is a number as pages show it: 2,000 is two thousand.
var thousands = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$`)

// Credits reads an amount of credits as people write it, with a point or a comma, or
// as pages show it: from 0 to most, in thousandths at the finest. What is more than
// nothing is never read as nothing, which as a limit means something else.
func Credits(text string, most float64) (amount float64, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 40 || strings.ContainsAny(text, "xXpPiInN_") { // of other bases, and no numbers
		return 0, false
	}
	if thousands.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	amount, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || !(amount >= 0 && amount <= most) {
		return 0, false
	}
	read := math.Round(amount*1000) / 1000
	return read, read > 0 || amount == 0
}
