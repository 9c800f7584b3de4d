package team

import (
	"cmp"

	"dailies/db/team"
	"dailies/views/input"
)

// A BrandFields has the fields of the team's brand.
type BrandFields struct {
	Name   input.Text
	Logo   input.Field  // a file
	NoLogo input.Switch // removes the logo
	Colour input.Field
	Now    team.Brand // as it is stored
}

// NewBrandFields returns the form that changes the brand.
func NewBrandFields(b team.Brand) BrandFields {
	return BrandFields{
		Name: input.Text{
			Field: input.Field{Name: "name", ID: "team-name", Label: "Name", Value: b.Name, Hint: "Guests read “A video from” and this name.", Focus: input.OnError},
			Room:  team.MaxTeamName, Most: team.MaxTeamName, Long: "60 letters at most. This one has %d.", Fill: "organization",
		},
		Logo:   input.Field{Name: "logo", ID: "team-logo", Label: "Logo", Hint: "PNG, JPEG or WebP, up to 512 KB"},
		NoLogo: input.Switch{Field: input.Field{Name: "no_logo", ID: "no-logo", Label: "Remove the logo"}},
		Colour: input.Field{Name: "colour", ID: "team-colour", Label: "Colour", Hint: "We pick a shade for light and one for dark that can be read.", Value: cmp.Or(b.Colour, UsualColour)},
		Now:    b,
	}
}

// UsualColour is the accent of pages without a brand, in the light theme.
const UsualColour = "#853a03"

// The sentences about a brand that cannot be used.
const (
	ColourOdd     = "Use a colour such as #0b6157."
	LogoOdd       = "Use a PNG, JPEG or WebP picture."
	LogoTooLarge  = "512 KB at most. Make the picture smaller."
	LogoDamaged   = "This picture is damaged. Choose another one."
	LogoTooManyPx = "This picture has too many pixels. Make it smaller."
)

// shade is how the brand looks in one theme.
type shade struct {
	team.Shades
	Card, Ink team.Colour
	Name      string
}

// shades returns how the colour in the form looks, or nothing if it is no colour.
func (f BrandFields) shades() []shade {
	c, ok := team.ParseColour(f.Colour.Value)
	if !ok {
		return nil
	}
	return []shade{
		{c.Shades(team.Light), team.Colour{R: 0xff, G: 0xff, B: 0xff}, team.Colour{R: 0x1a, G: 0x19, B: 0x16}, "In light"},
		{c.Shades(team.Dark), team.Colour{R: 0x1d, G: 0x1d, B: 0x1b}, team.Colour{R: 0xf2, G: 0xf0, B: 0xea}, "In dark"},
	}
}
