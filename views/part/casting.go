package part

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/web/videoapi"
)

// A CastFace is a cast member as it was in a video.
type CastFace struct {
	cast.Appearance
	Here bool // it still is in the cast
}

// portrait returns the path of the thumbnail of its first picture; empty if it has none.
func (f CastFace) portrait() string {
	if len(f.Pictures) == 0 || !WebAddress(f.Pictures[0]) {
		return ""
	}
	return ThumbSource(f.Pictures[0])
}

// path returns the path of its page.
func (f CastFace) path() string { return "/cast/" + strconv.FormatInt(f.MemberID, 10) }

// Pictures lists the URLs of the video's pictures with their names: those of cast members
// say whom they show.
func (c Card) Pictures() []Fact {
	pictures := Pictures(c.Task)
	for i := range pictures {
		at := slices.IndexFunc(c.Cast, func(f CastFace) bool { return slices.Contains(f.Sent, i) })
		if at >= 0 {
			pictures[i].Label = fmt.Sprintf("%s: %s", pictures[i].Label, naming.Isolated(c.Cast[at].Name))
		}
	}
	return pictures
}

// suspects are the people of the cast whose pictures may be why the service refused the
// video.
func suspects(c Card) (faces []CastFace) {
	if c.Task.Cause() != db.RealPerson {
		return nil
	}
	for _, f := range c.Cast {
		if f.Kind == cast.Person && len(f.Sent) > 0 {
			faces = append(faces, f)
		}
	}
	return faces
}

// takenFor says whom the service takes for a real person; empty if that is not known.
func takenFor(faces []CastFace) string {
	switch len(faces) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("The service takes %s for a real person and refuses the picture.", naming.Isolated(faces[0].Name))
	}
	return "The service takes a face in these pictures for a real person’s."
}

// without returns the path of the form with everything of the video but the pictures of the
// cast member, in the scene that has room for those that are left.
func (f CastFace) without(t db.Task) string {
	scene, left := videoapi.Scene(t.Scene), len(t.Pictures)-len(f.Sent)
	switch {
	case left == 0:
		scene = videoapi.TextToVideo
	case scene == videoapi.FramesToVideo:
		scene = videoapi.ImageToVideo
	}
	return ScenePath(scene) + "?" +
		url.Values{
			"from": {strconv.FormatInt(t.ID, 10)}, "use": {string(db.Retried)}, "without": {strconv.FormatInt(f.MemberID, 10)},
		}.Encode()
}

// withoutLabel names the link to that form.
func (f CastFace) withoutLabel(t db.Task) string {
	name := naming.Isolated(f.Name)
	if price := t.PriceAgain(); price.Known {
		return fmt.Sprintf("Try without the picture of %s · %s", name, Amount(price.Amount))
	}
	return fmt.Sprintf("Try without the picture of %s", name)
}
