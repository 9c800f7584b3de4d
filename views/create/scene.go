package create

import (
	"net/url"
	"slices"

	"dailies/views/part"
	"dailies/web/videoapi"
)

// A guide explains a scene in a few words, and suggests what to write.
type guide struct{ Note, Hint string }

func guideTo(s videoapi.Scene) guide {
	switch s {
	case videoapi.ImageToVideo:
		return guide{"Bring one picture to life", "What moves in the picture, and how does the camera?"}
	case videoapi.FramesToVideo:
		return guide{"Move from one picture to another", "How does the start become the end?"}
	case videoapi.ReferenceToVideo:
		return guide{"Keep people and things alike", "What do they do, and where?"}
	}
	return guide{"Describe it in words", "Describe the shot: who, where, what moves."}
}

// An example is a prompt to start from.
type example struct{ Name, Prompt string }

func examples() []example {
	return []example{
		{"A paper boat", "A paper boat drifts out of a quiet harbour as the morning fog lifts. Slow push-in, soft light, gentle ripples."},
		{"A night tram", "A yellow tram crosses a bridge at night, rain on the lens, city lights blurred behind it. The camera glides alongside."},
		{"Dew on a fern", "Macro shot of dew drops on a fern at sunrise, focus moves from the front leaf to the back, a light breeze."},
	}
}

func exampleLink(e example) string {
	return part.ScenePath(videoapi.TextToVideo) + "?" + url.Values{"prompt": {e.Prompt}}.Encode()
}

func optionsPath(s videoapi.Scene) string { return part.ScenePath(s) + "/options" }

// tabLink returns the path of another scene's form, with what was typed.
func (f CreateForm) tabLink(s videoapi.Scene) string {
	carried := url.Values{}
	if f.Prompt != "" {
		carried.Set("prompt", f.Prompt)
	}
	for _, p := range f.Pictures {
		if p != "" {
			carried.Add("image_input", p)
		}
	}
	if o := f.Origin; o != nil {
		carried.Set("from", o.id())
		carried.Set("use", string(o.Use))
		carried.Set("prompt", f.Prompt) // even if empty, so that the origin's prompt is not used instead
	}
	const longest = 4000 // long enough for most forms, and short enough for any proxy
	query := carried.Encode()
	if query == "" || len(query) > longest {
		return part.ScenePath(s)
	}
	return part.ScenePath(s) + "?" + query
}

// hasPictures reports whether the form has any picture.
func (f CreateForm) hasPictures() bool {
	return slices.ContainsFunc(f.Pictures, func(address string) bool { return address != "" })
}

// oneByOne reports whether picture fields can be added and removed one by one.
func (f CreateForm) oneByOne() bool { return f.Scene == videoapi.ReferenceToVideo && !f.Blanks }
