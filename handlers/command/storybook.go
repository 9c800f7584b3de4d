//go:build storybook

package command

import (
	"github.com/a-h/templ"

	"dailies/views/storybook"
)

// storybookPage returns the page that -dev shows.
func storybookPage() templ.Component { return storybook.ShowStorybook() }
