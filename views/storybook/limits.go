package storybook

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/views/account"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// limitStories shows the limits of users, and how they ask for more.
func limitStories() []story {
	asked := Asked()
	asking, wrong := part.NewCreditRequestForm(), part.NewCreditRequestForm()
	asking.Credits.Value, asking.Shown = "30", true
	fill(&wrong.Credits, "-1", wrong.Credits.Rules[0].Sentence)
	fill(&wrong.Sentence, "", wrong.Sentence.Rules[0].Sentence)
	answered := asked
	answered.Answer, answered.AnsweredBy, answered.AnsweredAt = spending.Once, "Ada", Now
	no := answered
	no.Answer, no.Reason = spending.No, "For next month"
	unpriced := asked
	unpriced.Unpriced = true
	wrongAnswer := teamview.NewOpenRequest(unpriced, boLind(), spending.Limits{})
	wrongAnswer.ID, wrongAnswer.Form = 2, teamview.NewAnswerForm(2)
	fill(&wrongAnswer.Form.Credits, "many", wrongAnswer.Form.Credits.Rules[0].Sentence)
	return []story{
		{"Asking for more", part.CreditRequestFields(asking)},
		{"A request that’s wrong", part.CreditRequestFields(wrong)},
		{"It waits for an answer", part.CreditRequestFields(part.CreditRequestForm{Open: &asked})},
		{"An admin is stopped", part.CreditRequestFields(part.CreditRequestForm{Admin: true})},
		{"On every page of an admin", part.Framed(
			part.Frame{Path: "/", CreditRequests: []spending.CreditRequest{asked, unpriced}}, part.AdminRequests(),
		)},
		{"What an admin has answered", part.Framed(part.Frame{Path: "/", Answered: &answered}, part.AdminRequests())},
		{"No, and why", part.Framed(part.Frame{Path: "/", Answered: &no}, part.AdminRequests())},
		{"Most is spent", part.Framed(
			part.Frame{Path: "/", Warning: part.LimitWarning(spending.Warning{Percent: 80})}, part.AdminRequests(),
		)},
		{"The answers that there are", teamview.AnswerRequest(teamview.NewOpenRequest(asked, boLind(), spending.Limits{}), "/members")},
		{"A request for a video with no fixed price, and a wrong answer", teamview.AnswerRequest(wrongAnswer, "")},
		{"The limits of the team", teamview.LimitsOfTeam(SpendingPage())},
		{"A person’s limit", teamview.PersonLimitForm(teamview.NewPersonLimit(
			db.User{ID: 2, Name: "Bo"}, spending.Limit{Allowance: spending.Own, Credits: 100}, db.CreditsOf(500), "",
		))},
	}
}

// Asked returns a request to spend more, made an hour ago.
func Asked() spending.CreditRequest {
	return spending.CreditRequest{
		ID: 1, UserID: 2, UserName: "Bo Lind", UserEmail: "bo@example.com", Month: 202611, Credits: 90,
		Sentence: "Two more videos for the autumn fair.", At: Now.Add(-time.Hour),
	}
}

// boLind returns the person who asks for more.
func boLind() team.Member {
	return team.Member{
		User:  db.User{ID: 2, Name: "Bo Lind", Email: "bo@example.com"},
		Limit: spending.Limit{Allowance: spending.Own, Credits: 500}, Spent: 488,
	}
}

// SpendingPage returns the page of what a team spends.
func SpendingPage() teamview.SpendingPage {
	answered := Asked()
	answered.ID, answered.Answer, answered.AnsweredBy, answered.AnsweredAt = 7, spending.ThisMonth, "Ada", Now.Add(-30*time.Minute)
	return teamview.SpendingPage{
		Form:        teamview.NewLimitsForm(spending.Limits{Default: db.CreditsOf(500), Team: db.CreditsOf(5000), ApproveUnpriced: true}),
		Budget:      spending.Budget{Month: 202611, Team: db.CreditsOf(5000), TeamHas: 4210},
		Open:        []teamview.OpenRequest{teamview.NewOpenRequest(Asked(), boLind(), spending.Limits{})},
		Answered:    []spending.CreditRequest{answered},
		Overcharged: []audit.Entry{{At: Now.Add(-time.Hour), User: "Bo Lind", What: "video 12", Before: "24", After: "30"}},
		Service: teamview.ServicePart{
			Provider: teamview.NewServiceProvider(""), Host: "video-api.example.com", Keys: TeamKeys().Keys, OwnAllowed: true,
			Owning: 1, Blocking: 1,
		},
		Usage: []teamview.UsageLine{{ID: 2, Name: "Bo Lind", Sum: spending.Sum{Videos: 17, Tasks: 19, Paid: 508, Refunded: 20}}},
		Zone:  teamview.NewZone("Europe/Berlin"),
	}
}

// LimitPage returns the page with a user's own limits.
func LimitPage() templ.Component {
	answered := Asked()
	answered.Answer, answered.AnsweredBy, answered.Reason = spending.No, "Ada", "For next month"
	ask := part.NewCreditRequestForm()
	ask.Shown = true
	budget := spending.Budget{
		Month: 202611, Limit: db.CreditsOf(500), Spent: 440, Self: db.CreditsOf(480), Team: db.CreditsOf(5000), TeamHas: 4210,
	}
	return account.ShowLimit(budget, ask, []spending.CreditRequest{Asked(), answered})
}
