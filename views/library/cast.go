package library

import (
	"fmt"

	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/views/part"
)

// A CastPage holds a member of the cast, and the newest videos with it.
type CastPage struct {
	Member cast.Member
	Videos Gallery
}

// many says how many videos there are with the member.
func (p CastPage) many() string {
	name := naming.Isolated(p.Member.Name)
	if most := p.Videos.Filter.MostCounted(); p.Videos.Total > most {
		return fmt.Sprintf("%s+ videos with %s", part.Number(most), name)
	}
	return part.Plural(p.Videos.Total, "%[1]s video with %[2]s", "%[1]s videos with %[2]s", name)
}

// use is the address of the form with the handle in the prompt.
func (p CastPage) use() string {
	return face(p.Member).Use()
}

func (p CastPage) path() string { return face(p.Member).Path() }

// mixed reports whether the handle has letters that look alike.
func (p CastPage) mixed() bool { return cast.MixesAlike(p.Member.Handle) }

func (p CastPage) pictureOf(i int) string {
	return fmt.Sprintf("%s, picture %d", naming.Isolated(p.Member.Name), i+1)
}

func face(m cast.Member) part.Face { return part.Face{Member: m} }
