package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/team"
	"dailies/views/account"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// limitStories shows the limits of users, and how they ask for more.
func limitStories() []story {
	asked := Asked()
	wrong := part.AskForm{Credits: "-1", Errors: part.Errors{"ask_credits": "Please give a number of credits, such as 90.", "ask_sentence": "Please say in one sentence what it is for."}}
	answered := asked
	answered.Answer, answered.AnsweredBy, answered.AnsweredAt = team.Once, "Ada", Now
	no := answered
	no.Answer, no.Reason = team.No, "Next month, please."
	unpriced := asked
	unpriced.Unpriced = true
	return []story{
		{"Asking for more", part.AskFields(part.AskForm{Credits: "30", Shown: true})},
		{"What was asked will not do", part.AskFields(wrong)},
		{"It waits for an answer", part.AskFields(part.AskForm{Open: &asked})},
		{"An admin is stopped", part.AskFields(part.AskForm{Admin: true})},
		{"On every page of an admin", part.Governing(part.Frame{Path: "/", Asks: []team.Ask{asked, unpriced}})},
		{"What an admin has answered", part.Governing(part.Frame{Path: "/", Answered: &answered})},
		{"No, and why", part.Governing(part.Frame{Path: "/", Answered: &no})},
		{"Most is spent", part.Governing(part.Frame{Path: "/", Warning: part.LimitWarning(team.Warning{Percent: 80})})},
		{"The answers that there are", teamview.AnswerAsk(asked, teamview.AnswerForm{ID: 1, Credits: "90"})},
		{"The limits of the team", teamview.LimitsOfTeam(LimitsPage())},
		{"A person's limit", teamview.PersonLimitForm(teamview.PersonLimit{User: db.User{ID: 2, Name: "Bo"}, Limit: team.Limit{Allowance: team.Own}, Default: db.CreditsOf(500), Credits: "100"})},
	}
}

// Asked returns a request to spend more, made an hour ago.
func Asked() team.Ask {
	return team.Ask{ID: 1, UserID: 2, UserName: "Bo Lind", UserEmail: "bo@example.com", Month: 202611, Credits: 90, Sentence: "Two more videos for the autumn fair.", At: Now.Add(-time.Hour)}
}

// LimitsPage returns the page with a team's limits.
func LimitsPage() teamview.LimitsPage {
	answered := Asked()
	answered.ID, answered.Answer, answered.AnsweredBy, answered.AnsweredAt = 7, team.ThisMonth, "Ada", Now.Add(-30*time.Minute)
	return teamview.LimitsPage{
		Form: teamview.LimitsForm{Default: "500", Team: "5000", AskUnpriced: true},
		Room: team.Room{Month: 202611, Team: db.CreditsOf(5000), TeamHas: 4210},
		Open: []team.Ask{Asked()}, Answered: []team.Ask{answered},
		Overcharged: []team.Entry{{At: Now.Add(-time.Hour), User: "Bo Lind", What: "video 12", Before: "24", After: "30"}},
	}
}

// LimitPage returns the page with a user's own limits.
func LimitPage() account.LimitPage {
	answered := Asked()
	answered.Answer, answered.AnsweredBy, answered.Reason = team.No, "Ada", "Next month, please."
	return account.LimitPage{
		Room: team.Room{Month: 202611, Limit: db.CreditsOf(500), Spent: 440, Self: db.CreditsOf(480), Team: db.CreditsOf(5000), TeamHas: 4210},
		Self: "480", Ask: part.AskForm{Shown: true}, Asks: []team.Ask{Asked(), answered},
	}
}
