// Package storybook holds one page, /dev/storybook, with every component of the pages
// in every state, so that a change of the design can be judged at a glance:
//
//	go run -tags storybook . -dev
//
// It needs no sign-in, because its values are fixed and contain no user data. Without the
// tag, the program does not contain it, so that nobody else waits for its compilation.
// Tests use these values too: Task, Kept, Card, Form, Recipe and Gallery, at the time Now.
//
// To add a component, write a function that returns its stories, beside similar ones:
//
//	func playerStories() []story {
//		return []story{
//			{"One video", part.TransportBar(part.Transport{})},
//			{"Several", part.TransportBar(part.Transport{Whole: true, Sounds: []string{"Video 1"}})},
//		}
//	}
//
// and add a line to sections. The functions opened and ticked show a component in use.
// IDs may repeat, and forms and pictures may lead anywhere: see still. This package's
// tests, the accessibility tests and the screenshots examine the page, and thus the new
// component.
package storybook

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/views/part"
)

// A section holds the stories of similar components.
type section struct {
	Name    string
	Wide    bool // each story has the full width
	Stories []story
}

// A story is a component in one state.
type story struct {
	Caption string
	Part    templ.Component
}

func sections() []section {
	return []section{
		{"Buttons and links", false, buttonStories()},
		{"Pills", false, pillStories()},
		{"Notes and messages", false, noteStories()},
		{"Fields", false, fieldStories()},
		{"Lists and tables in the prompt", true, listStories()},
		{"Chips", false, chipStories()},
		{"Pictures", false, pictureStories()},
		{"Scenes and models", true, modelStories()},
		{"What a video is made from", true, originStories()},
		{"Options and price", false, priceStories()},
		{"How many and for how much", true, priceBarStories()},
		{"Progress", false, progressStories()},
		{"Cards beside the form", false, latestStories()},
		{"Search and filters", true, filterStories()},
		{"Cards in the gallery", false, galleryStories()},
		{"With the chosen videos", true, chosenStories()},
		{"Cards in the bin", false, binStories()},
		{"Reuse", false, reuseStories()},
		{"Player", true, playerStories()},
		{"Side by side", true, compareStories()},
		{"Scenes that follow", true, sceneStories()},
		{"Receipts", false, receiptStories()},
		{"The page of a video", false, taskStories()},
		{"Where a video belongs", false, organiseStories()},
		{"Details for support", false, technicalStories()},
		{"Where a video comes from", true, lineageStories()},
		{"Collections", false, collectionStories()},
		{"A video in collections", false, collectedStories()},
		{"Links", false, shareStories()},
		{"Notes on a video", false, talkStories()},
		{"What guests decided", false, approvalStories()},
		{"Takes", false, takeStories()},
		{"Sign-in", true, signingStories()},
		{"Members", true, memberStories()},
		{"Audit, announcement, mail", true, recordStories()},
		{"Limits", true, limitStories()},
		{"Team keys", true, teamKeyStories()},
		{"Video service", true, serviceStories()},
		{"Recipes", false, recipeStories()},
		{"Filling in a recipe", true, recipeFormStories()},
		{"Writing a recipe", false, recipeEditStories()},
		{"Batches", true, batchStories()},
		{"Empty pages", true, emptyStories()},
		{"Tables and lists", true, tableStories()},
		{"Keyboard", false, []story{{"The list", part.KeyList()}}},
	}
}

// storyStyles lists the style sheets that pages load in addition to app.css, and the
// storybook's own.
func storyStyles() []string {
	return []string{
		"create.css", "viewer.css", "recipe.css", "account.css", "storybook.css", "wall.css", "note.css", "share.css",
		"ask.css",
	}
}

// id returns the ID of the section.
func (s section) id() string { return strings.ReplaceAll(strings.ToLower(s.Name), " ", "-") }

// storyID returns the ID of one of the section's stories.
func (s section) storyID(i int) string { return s.id() + "-" + strconv.Itoa(i+1) }

// element returns an element that pages write out without a component.
func element(tag, class, words string) templ.Component {
	return templ.Raw("<" + tag + ` class="` + class + `">` + templ.EscapeString(words) + "</" + tag + ">")
}
