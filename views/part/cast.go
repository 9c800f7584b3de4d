package part

import (
	"fmt"
	"net/url"
	"strings"

	"dailies/db/cast"
	"dailies/db/naming"
)

// A Face is a cast member as pages show it.
type Face struct{ cast.Member }

// Path returns the path of the member's page.
func (f Face) Path() string { return fmt.Sprintf("/cast/%d", f.ID) }

// KindName names its kind.
func (f Face) KindName() string {
	return map[cast.Kind]string{cast.Person: "Person", cast.Product: "Product", cast.Place: "Place", cast.Style: "Style"}[f.Kind]
}

// Facts says how it is called in prompts, and what it is.
func (f Face) Facts() string { return fmt.Sprintf("%s · %s", f.At(), strings.ToLower(f.KindName())) }

// NoConsent marks a person whose consent is not recorded.
func (Face) NoConsent() string { return "No consent noted" }

// Agreed says who agreed, and when.
func (f Face) Agreed() string {
	return fmt.Sprintf("%s agreed on %s", naming.Isolated(f.Consent.By), Date(f.Consent.On))
}

// Portrait returns the path of the thumbnail of its first picture; empty if it has none.
func (f Face) Portrait() string {
	if len(f.Pictures) == 0 || !WebAddress(f.Pictures[0]) {
		return ""
	}
	return ThumbSource(f.Pictures[0])
}

// Use returns the address of the form for a video whose prompt begins with the handle.
func (f Face) Use() string {
	return "/create/reference-to-video?" + url.Values{"prompt": {f.At() + " "}}.Encode()
}
