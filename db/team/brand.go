package team

// A Brand is the look of the team on the pages of its links.
type Brand struct {
	Name   string `json:",omitempty"` // of the team; empty if none was given
	Colour string `json:",omitempty"` // as ParseColour reads it; empty for the usual one
	Logo   Logo   `json:",omitzero"`
}

// A Logo describes the team's logo. It is zero if there is none.
type Logo struct {
	Type          string // MIME type
	Hash          string // SHA-256 of the file, in hex
	Width, Height int    // in pixels
}

// MaxTeamName limits the name of a team, in characters.
const MaxTeamName = 60

// MaxLogo limits the file of a logo, in bytes.
const MaxLogo = 512 << 10

// LogoTypes returns the MIME types that a logo can have.
func LogoTypes() []string { return []string{"image/png", "image/jpeg", "image/webp"} }
