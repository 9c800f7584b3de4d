package site

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// thousands matches a number with separators, as pages show it: 2,000.
var thousands = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$`)

// Credits parses an amount of credits between 0 and most, with a decimal point or
// comma, or with thousands separators as pages show them. It rounds to thousandths,
// and refuses a positive amount that would round to 0, because a limit of 0 has a
// meaning of its own.
func Credits(text string, most float64) (amount float64, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 40 || strings.ContainsAny(text, "xXpPiInN_") { // hexadecimal and other bases, Inf, NaN
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
