//go:build storybook

package command

import (
	"github.com/a-h/templ"

	"dailies/views/part"
	"dailies/views/storybook"
)

// storybookPage returns the page that -dev shows.
func storybookPage() func(part.Frame) templ.Component { return storybook.ShowStorybook }
