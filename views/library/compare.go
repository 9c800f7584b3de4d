package library

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dailies/db"
	"dailies/views/part"
)

// Compare holds the videos of a comparison.
type Compare struct {
	Cards   []part.Card // with fewer than two, the page explains how to choose
	Left    int         // number of chosen videos beyond the fourth, which are left out
	Missing int         // number of chosen videos that are not shown
}

// without returns the address of the comparison without one of its videos.
func (c Compare) without(i int) string {
	var ids []int64
	for j, card := range c.Cards {
		if j != i {
			ids = append(ids, card.Task.ID)
		}
	}
	return part.ComparePath(ids)
}

// sounds returns names of the videos, for choosing which one is heard.
func (c Compare) sounds() []string {
	names := make([]string, len(c.Cards))
	for i := range names {
		names[i] = fmt.Sprintf("Video %d", i+1)
	}
	return names
}

// A compareRow holds one fact, with its value for each video.
type compareRow struct {
	Name    string
	Values  []string
	Differs bool
}

// rows returns the facts in the order in which the videos' pages show them, with
// a dash for a video without a value.
func (c Compare) rows() []compareRow {
	var rows []compareRow
	for i, card := range c.Cards {
		for _, f := range comparedFacts(card) {
			at := slices.IndexFunc(rows, func(r compareRow) bool { return r.Name == f.Label })
			if at < 0 {
				at = len(rows)
				rows = append(rows, compareRow{Name: f.Label, Values: slices.Repeat([]string{"–"}, len(c.Cards))})
			}
			rows[at].Values[i] = f.Value
		}
	}
	for i, row := range rows {
		rows[i].Differs = slices.ContainsFunc(row.Values, func(v string) bool { return v != row.Values[0] })
		if row.Name == "Pictures" {
			rows[i].Differs = c.picturesDiffer()
		}
	}
	return rows
}

func (c Compare) picturesDiffer() bool {
	return slices.ContainsFunc(c.Cards, func(card part.Card) bool {
		return !slices.Equal(card.Task.Pictures, c.Cards[0].Task.Pictures)
	})
}

func comparedFacts(c part.Card) []part.Fact {
	facts := append(
		part.Facts(c), part.Fact{Label: "Cost", Value: cmp.Or(c.Cost(), part.Credits(c.Task.Charged))},
		part.Fact{Label: "Time taken", Value: part.Duration(c.Task.Elapsed(c.Now))}, part.Fact{Label: "By", Value: c.Maker()},
	)
	if n := len(c.Task.Pictures); n > 0 {
		facts = append(facts, part.Fact{Label: "Pictures", Value: part.Plural(n, "%s picture", "%s pictures")})
	}
	return facts
}

// A word is a word of a prompt. Own means that a prompt with which it was
// compared does not contain it.
type word struct {
	Text string
	Own  bool
}

// mostWords is half the number of words that two prompts together may have to be
// compared, because the time grows with the product of their lengths.
const mostWords = 600

// prompts returns the words of each prompt. It compares the first prompt with
// each of the others and marks the words that only one of the two contains.
func (c Compare) prompts() [][]word {
	all := make([][]word, len(c.Cards))
	for i, card := range c.Cards {
		for _, text := range strings.Fields(card.Task.Prompt) {
			all[i] = append(all[i], word{Text: text})
		}
	}
	for i := 1; i < len(all); i++ {
		if len(all[0])+len(all[i]) <= 2*mostWords {
			markOwn(all[0], all[i])
		}
	}
	return all
}

// markOwn marks the words that do not belong to a longest common subsequence of a
// and b.
func markOwn(a, b []word) {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i].Text == b[j].Text {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].Text == b[j].Text:
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			a[i].Own, i = true, i+1
		default:
			b[j].Own, j = true, j+1
		}
	}
	for ; i < len(a); i++ {
		a[i].Own = true
	}
	for ; j < len(b); j++ {
		b[j].Own = true
	}
}

// costLine names the model and the cost of a video.
func costLine(c part.Card) string {
	return fmt.Sprintf("%s · %s", c.ModelName, cmp.Or(c.Cost(), part.Credits(c.Task.Charged)))
}

// videoFile returns the stored file of a video, which must have one.
func videoFile(c part.Card) db.Media {
	m, _ := c.Task.Video()
	return m
}

// missingVideos says that n of the chosen videos are not shown. It does not say
// which, because they may be private.
func missingVideos(n int) string {
	if n == 1 {
		return "One isn’t shown: it’s not ready, or it’s gone."
	}
	return fmt.Sprintf("%d aren’t shown: they’re not ready, or they’re gone.", n)
}
