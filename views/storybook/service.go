package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web/videoapi"
)

// serviceStories shows the page on which the video service is connected.
func serviceStories() []story {
	practice := db.Service{
		ID: 1, Address: "http://sandbox.invalid", Practice: true, Current: true, UsedAt: Now.Add(-72 * time.Hour), Queued: 3,
		Running: 1,
	}
	real := db.Service{ID: 2, Address: "https://video-api.example.com/v1", Current: true, UsedAt: Now.Add(-time.Hour), Running: 12}
	page := func(s db.Service, change func(*teamview.ConnectPage)) teamview.ConnectPage {
		p := teamview.ConnectPage{Service: s, CanPractise: true, Form: teamview.NewConnectForm("", "")}
		change(&p)
		return p
	}
	found := func(f videoapi.Finding) teamview.ConnectPage {
		return page(practice, func(p *teamview.ConnectPage) {
			p.Form = teamview.NewConnectForm(real.Address, "X46T")
			p.Form.Tell(f)
		})
	}
	nothing := func(*teamview.ConnectPage) {}
	asked := func(p *teamview.ConnectPage) { p.Form.AddPassword() }
	again := func(p *teamview.ConnectPage) { p.MustSignInAgain = true }
	wrong := func(p *teamview.ConnectPage) {
		p.Form.Address.Value, p.Form.Address.Error = "https://video.example.com:0", teamview.AddressSentence(videoapi.AddressPort)
	}
	elsewhere := func(p *teamview.ConnectPage) {
		old := practice
		old.Current = false
		p.Earlier = []db.Service{old, {ID: 3, Address: "https://old.example.com", Queued: 1, Running: 2}}
	}
	fixed := func(p *teamview.ConnectPage) { p.Fixed = real.Address }
	switched := Card(Task(41, db.Queued))
	switched.Elsewhere, switched.AllElsewhere = true, 12
	several := func(p *teamview.ConnectPage) { p.CanPractise = false }
	return []story{
		{"At first", teamview.ConnectService(page(practice, nothing))},
		{"Signed in a while ago", teamview.ConnectService(page(practice, asked))},
		{"Signed in a while ago, without a password", teamview.ConnectService(page(practice, again))},
		{"It works", teamview.ConnectService(found(videoapi.FoundAccepted))},
		{"It doesn’t say", teamview.ConnectService(found(videoapi.FoundUnsaid))},
		{"A wrong key", teamview.ConnectService(found(videoapi.FoundRefused))},
		{"Nobody answers", teamview.ConnectService(found(videoapi.FoundSilent))},
		{"No such address", teamview.ConnectService(page(practice, wrong))},
		{"Connected", teamview.ConnectedNote(teamview.TryVideo{
			Path: "/create/text-to-video", Length: 5, Quality: "480p", Credits: db.CreditsOf(15),
		})},
		{"Connected, with a price that nobody states", teamview.ConnectedNote(teamview.TryVideo{
			Path: "/create/text-to-video", Length: 5, Quality: "480p",
		})},
		{"In practice mode", teamview.ServiceInUse(page(practice, nothing))},
		{"In use, with videos elsewhere", teamview.ServiceInUse(page(real, elsewhere))},
		{"Named by the settings", teamview.ServiceInUse(page(real, fixed))},
		{"Back to practice mode", opened("Back to practice mode", teamview.LeaveService(page(real, nothing)))},
		{"No practice mode", teamview.LeaveService(page(real, several))},
		{"From a backup", teamview.HeldNote()},
		{"Webhooks of a backup", teamview.HeldHooksNote(3)},
		{"Webhooks of a backup, on every page of an admin", part.Framed(part.Frame{HeldHooks: 3}, part.Notices())},
		{"Little space for files, on every page of an admin", part.Framed(part.Frame{
			Notice: part.SpaceNotice(schedule.Space{Free: 90 << 20, Waiting: 2}),
		}, part.Notices())},
		{"A webhook of the earlier format, on every page of its owner", part.Framed(part.Frame{EarlierHook: 2}, part.Notices())},
		{"The line for admins", part.Framed(part.Frame{Viewer: &db.User{Name: "Ada Byron", Role: db.Admin}}, part.PracticeNote())},
		{"The line for others", part.Framed(part.Frame{
			Viewer: &db.User{Name: "Jon Okafor", Role: db.Member}, Admins: []string{"Ada Byron", "Mara Ellison", "Kim Doe"},
		}, part.PracticeNote())},
		{"A video that waits for its maker", part.Making(switched)},
	}
}
