package storybook

import (
	"time"

	"dailies/db"
	"dailies/views/part"
	"dailies/views/team"
)

// memberStories shows the parts of the page on which admins invite people.
func memberStories() []story {
	invite := func(id int64, age time.Duration) db.Invite {
		return db.Invite{ID: id, CreatedAt: Now.Add(-age), ExpiresAt: Now.Add(db.InviteLife - age)}
	}
	used := invite(2, 48*time.Hour)
	used.UsedAt, used.UsedBy = Now.Add(-time.Hour), 1
	page := team.MembersPage{
		Users:   []db.User{{ID: 1, Name: "Ada"}},
		Invites: []db.Invite{invite(1, time.Hour), used, invite(3, 8*24*time.Hour)},
	}
	fresh, full := page, page
	fresh.NewLink = "https://dailies.example.com/join/ABC"
	full.Problem = "There are too many open links already. Take back those that nobody needs any more, or wait until they expire."
	return []story{
		{"People, and links in every state", team.MemberTable(page, Now)},
		{"A new link", team.NewInvite(fresh)},
		{"Too many links", team.NewInvite(full)},
		{"The time zone", team.ZoneSection(team.MembersPage{Zone: "Europe/Berlin", Rebuilding: true})},
		{"A time zone that there is not", team.ZoneSection(team.MembersPage{Zone: "Berlin", Errors: part.Errors{"zone": "There is no time zone with this name. They are named like Europe/Berlin."}})},
		{"Accounts with one address", team.SameAddressSection([][]db.User{{{Name: "Zoë", Email: "zo\u00eb@example.com"}, {Name: "Zoe", Email: "zoe\u0308@example.com"}}})},
	}
}
