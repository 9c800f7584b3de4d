package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/spending"
	dbteam "dailies/db/team"
	"dailies/views/part"
	"dailies/views/team"
)

// memberStories shows the parts of the pages on which admins manage members.
func memberStories() []story {
	invite := func(id int64, age time.Duration) signin.Invite {
		return signin.Invite{
			ID: id, Role: db.Member, Allowance: "default", CreatedAt: Now.Add(-age),
			ExpiresAt: Now.Add(signin.InviteLife - age),
		}
	}
	used, bound := invite(2, 48*time.Hour), invite(4, 2*time.Hour)
	used.UsedAt, used.UsedBy = Now.Add(-time.Hour), 1
	bound.Email, bound.Role, bound.Allowance, bound.Credits = "kim@example.com", db.Viewer, "own", 40
	page := team.MembersPage{
		Members: []dbteam.Member{
			{
				User: db.User{ID: 1, Name: "Ada", Email: "ada@example.com", Role: db.Admin, SeenAt: Now}, Spent: 180,
				Key: dbteam.KeyInUse{IsOwn: true, LastFour: "K7QX"},
			},
			{
				User:  db.User{ID: 2, Name: "Jon Okafor", Email: "jon@example.com", Role: db.Member},
				Limit: spending.Limit{Allowance: spending.Own, Credits: 40}, Spent: 38.5,
				Key: dbteam.KeyInUse{Team: "Studio", LastFour: "AB12"},
			},
			{
				User: db.User{
					ID: 3, Name: "Lena", Email: "lena@example.com", Role: db.Viewer, DeactivatedAt: Now.Add(-48 * time.Hour),
					SeenAt: Now.Add(-50 * time.Hour),
				},
				Limit: spending.Limit{Allowance: spending.None},
			},
		},
		Names: map[int64]string{1: "Ada"}, Limits: spending.Limits{Default: db.CreditsOf(500)},
		Invites: []signin.Invite{bound, invite(1, time.Hour), used, invite(3, 8*24*time.Hour)},
	}
	one, many := page, page
	one.NewLinks = []team.NewLink{{Invite: invite(1, 0), Address: "https://dailies.example.com/join/ABC"}}
	many.NewLinks = append(one.NewLinks, team.NewLink{Invite: bound, Address: "https://dailies.example.com/join/DEF"})
	wrong := team.NewInviteForm(db.CreditsOf(500), true)
	wrong.Role.Value, wrong.Which.Value = string(db.Viewer), string(spending.Own)
	wrong.Problems = []string{"“kim@” isn’t an address yet."}
	fill(&wrong.Addresses, "kim@example.com\nkim@", team.PutRight)
	fill(&wrong.Credits, "lots", wrong.Credits.Rules[0].Sentence)
	has := dbteam.Belongings{
		Videos: 412, Private: 38, Recipes: 6, Links: 9, Running: 2, Waiting: 3, Browsers: 2, HasKey: true, Tokens: 2,
		Webhooks: 1, TeamHooks: 1,
	}
	jon := team.MemberPage{
		Member: page.Members[1], Had: has, SecondSteps: signin.SecondSteps{Codes: true, Passkeys: 2},
		Role: team.NewRole(db.Member), ResetLink: "https://dailies.example.com/reset/ABC",
	}
	alone, last := jon, jon
	alone.ResetLink = ""
	alone.SetUp = audit.Entry{ID: 9, At: Now.Add(-time.Hour), Actor: audit.Actor{UserID: 2, Address: "192.0.2.7"}}
	last.Role = team.NewRole(db.Member)
	last.Role.Error = team.OnlyAdmin
	gone, over := team.MemberPage{Member: page.Members[2]}, team.MemberPage{Member: page.Members[2]}
	over.Member.DeactivatedAt = Now.Add(-31 * 24 * time.Hour)
	leave, only := team.NewLeavePage(), team.NewLeavePage()
	leave.Had = has
	leave.Offer(page.Members[1].User, []db.User{page.Members[0].User})
	only.Offer(page.Members[0].User, nil)
	only.OnlyAdmin = true
	nowhere := leave
	nowhere.Refuse(dbteam.ErrNoHeir)
	wide := leave
	wide.Many, wide.Query, wide.Found = true, "kim", 1
	noZone := team.NewZone("Berlin")
	noZone.Error = noZone.Rules[0].Sentence
	return []story{
		{"People", part.Framed(part.Frame{
			Now: Now, CreditRequests: []spending.CreditRequest{{
				ID: 4, UserID: 2, UserName: "Jon Okafor", Credits: 200, Sentence: "For the fair.",
			}},
		}, team.MemberTable(page))},
		{"Invitations that nobody can use any more", team.InviteTable(page, []signin.Invite{used, invite(3, 8*24*time.Hour)}, Now)},
		{"A new link", team.NewInvites(one)},
		{"New links", team.NewInvites(many)},
		{"Whom to invite", team.InviteFields(wrong)},
		{"What is known of a person", part.Framed(part.Frame{Now: Now}, team.MemberFacts(jon))},
		{"A person’s role", team.RoleForm(jon)},
		{"The role of the only admin", team.RoleForm(last)},
		{"How a person signs in", team.SigningIn(jon, Now)},
		{"A second step that was set up with the password alone", team.SigningIn(alone, Now)},
		{"A closed account", team.ReturnCard(gone, Now)},
		{"An account that was closed long ago", team.ReturnCard(over, Now)},
		{"Leaving", team.LeaveForm(leave)},
		{"Leaving with private videos and nobody to see them", team.LeaveForm(nowhere)},
		{"Leaving in a big team", team.LeaveForm(wide)},
		{"The only admin leaves", team.LeaveForm(only)},
		{"The time zone", team.ZoneSection(team.NewZone("Europe/Berlin"), true)},
		{"A time zone that doesn’t exist", team.ZoneSection(noZone, false)},
		{"Accounts with one address", team.SameAddressSection([][]db.User{{
			{Name: "Zoë", Email: "zo\u00eb@example.com"}, {Name: "Zoe", Email: "zoe\u0308@example.com"},
		}})},
	}
}
