//go:build !storybook

package command

import (
	"github.com/a-h/templ"
)

// storybookPage returns nil: only who changes the pages needs the storybook, and
// everybody else would wait for its compilation.
func storybookPage() templ.Component { return nil }
