package views

import "fmt"

// AddedTo says how many of the chosen videos are new in the collection.
func AddedTo(name string, added, chosen int) string {
	switch {
	case added == 0 && chosen == 1:
		return fmt.Sprintf("It is in “%s” already.", name)
	case added == 0:
		return fmt.Sprintf("They are all in “%s” already.", name)
	case added == 1:
		return fmt.Sprintf("One video was added to “%s”.", name)
	}
	return fmt.Sprintf("%d videos were added to “%s”.", added, name)
}
