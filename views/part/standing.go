package part

import (
	"fmt"

	"github.com/a-h/templ"

	"dailies/db/review"
)

// Standing says, in a few words, what guests decided about a video and who. It is empty if
// nobody was asked.
func Standing(s review.Standing) string {
	said := s.Of(s.Answer())
	switch s.Answer() {
	case review.Changes:
		if len(said) == 1 {
			return fmt.Sprintf("%s wants changes", said[0].Author().Called())
		}
		return fmt.Sprintf("%s and %s more want changes", said[0].Author().Called(), Number(len(said)-1))
	case review.Approved:
		if s.Guests() > 1 {
			return fmt.Sprintf("Approved by %s of %s", Number(len(said)), Number(s.Guests()))
		}
		return fmt.Sprintf("Approved by %s", said[0].Author().Called())
	case review.Waiting:
		switch len(s.Silent) {
		case 0:
			return "Waiting"
		case 1:
			return fmt.Sprintf("Waiting for %s", s.Silent[0].Author().Called())
		}
		return fmt.Sprintf("Waiting for %s guests", Number(len(s.Silent)))
	}
	return ""
}

// standingClass returns the class of the label.
func standingClass(s review.Standing) string {
	switch s.Answer() {
	case review.Changes:
		return "run"
	case review.Approved:
		return "good"
	}
	return ""
}

// standingIcon returns the symbol of the label.
func standingIcon(s review.Standing) templ.Component {
	switch s.Answer() {
	case review.Changes:
		return Turn()
	case review.Approved:
		return Tick()
	}
	return Hourglass()
}

// answerName names what a guest decided.
func answerName(a review.Answer) string {
	if a == review.Approved {
		return "Approved"
	}
	return "Changes wanted"
}

// answerClass returns the class of the label with that name.
func answerClass(a review.Answer) string {
	if a == review.Approved {
		return "good"
	}
	return "run"
}
