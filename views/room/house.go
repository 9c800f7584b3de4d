package room

import (
	"fmt"
	"strings"
	"time"

	"dailies/db/naming"
	"dailies/views/part"
)

// A House is what guests are told about the team that sent them a link.
type House struct {
	Sender string // the team's name; empty if it has none, or is not told
	Maker  string // the name of the person who sent the link; empty if it is not told
	Logo   Logo
	Style  string    // path of the style sheet with the team's colour; empty without one
	Until  time.Time // when the link ends
	Now    time.Time
	Quiet  bool // they are not told that videos are made with AI
}

// A Logo is the picture of a team.
type Logo struct {
	Address       string // path; empty without a logo
	Width, Height int    // in pixels
}

// until says when the link ends.
func (h House) until() string {
	end, now := h.Until.UTC(), h.Now.UTC()
	switch {
	case end.Sub(now) < 24*time.Hour && end.Day() == now.Day():
		return fmt.Sprintf("Ends today, %s UTC", end.Format("15:04"))
	case end.Year() == now.Year():
		return fmt.Sprintf("Until %s", end.Format("2 January"))
	}
	return fmt.Sprintf("Until %s", end.Format("2 January 2006"))
}

// maker returns the first name of the person who sent the link; empty if it is not told.
func (h House) maker() string {
	first, _, _ := strings.Cut(naming.Clean(h.Maker), " ")
	return naming.Isolated(first)
}

// NameMissing asks for the name of a guest who writes.
func (h House) NameMissing() string {
	if h.maker() == "" {
		return part.NameMissing
	}
	return fmt.Sprintf("Add your name, so that %s knows who wrote this.", h.maker())
}

// NoPassword asks for the password that was left out.
const NoPassword = "Enter the password."

// WrongPassword tells a guest that the password was not right.
func (h House) WrongPassword() string {
	if h.Maker == "" {
		return "That’s not it. Check for capitals."
	}
	return fmt.Sprintf("That’s not it. Check for capitals, or ask %s.", naming.Isolated(h.Maker))
}
