package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/team"
	teamview "dailies/views/team"
)

// TeamKeys returns the page of a team's keys, with keys in various states.
func TeamKeys() teamview.KeysPage {
	key := func(id int64, name, end string) team.Key {
		return team.Key{
			Name: name,
			Key:  secrets.Key{TeamKeyID: id, Sealed: []byte("sealed"), LastFour: end, CreatedAt: Now.Add(-time.Hour)},
		}
	}
	film, marketing := key(2, "Film", "9z9z"), key(1, "Marketing", "1a2b")
	marketing.Standard, marketing.CheckedAt, marketing.Accepted = true, Now, true
	marketing.People, marketing.Running, marketing.Queued = 14, 3, 2
	return teamview.KeysPage{
		New: teamview.NewNewKeyForm(false), Own: teamview.NewOwnKeys(true),
		Keys: []team.Key{film, marketing}, OwnAllowed: true, Owning: 2, Without: 0, Found: 120,
		People: []teamview.KeyUser{
			{User: db.User{ID: 1, Name: "Ada Byron", Email: "ada@example.com"}, Key: marketing.Key},
			{User: db.User{ID: 2, Name: "Jon Okafor", Email: "jon@example.com", TeamKeyID: 2}, Key: film.Key},
			{
				User: db.User{ID: 3, Name: "Mara Ellison", Email: "mara@example.com"},
				Key:  secrets.Key{UserID: 3, Sealed: []byte("own"), LastFour: "9f2c"},
			},
		},
	}
}

// waitingKeys returns the page with keys that wait: one of the team for an answer that is
// late, and people's own, one of them replaced since, after a server that has stopped.
func waitingKeys() teamview.KeysPage {
	return teamview.KeysPage{Blocking: []schedule.Call{
		{TaskID: 7, UserID: 2, Maker: "Jon Okafor", KeyName: "Marketing", KeyEnd: "1a2b", SentAt: Now.Add(-3 * time.Minute)},
		{
			TaskID: 8, UserID: 3, Maker: "Mara Ellison", PayerID: 3, Payer: "Mara Ellison", KeyEnd: "9f2c",
			SentAt: Now.Add(-time.Minute), FreesAt: Now.Add(2 * time.Minute),
		},
		{
			TaskID: 9, UserID: 4, Maker: "דנה לוי", PayerID: 4, Payer: "דנה לוי", SentAt: Now.Add(-4 * time.Minute),
			FreesAt: Now.Add(3 * time.Minute),
		},
	}}
}

// teamKeyStories shows the parts of the pages on which admins manage keys.
func teamKeyStories() []story {
	page := TeamKeys()
	wrong := teamview.KeysPage{Own: teamview.NewOwnKeys(false), New: teamview.NewNewKeyForm(true)}
	fill(wrong.New.Name, "Marketing", teamview.KeyNameTaken)
	one := func(k team.Key) teamview.KeyPage {
		return teamview.KeyPage{Key: k, Name: teamview.NewKeyName(k.Name, ""), Secret: teamview.OtherSecret(false)}
	}
	return []story{
		{"Keys", teamview.KeyList(page, Now)},
		{"No key yet", teamview.KeyList(teamview.KeysPage{}, Now)},
		{"Keys that wait for the end of a call", teamview.BlockedKeys(waitingKeys())},
		{"A new key", teamview.NewKey(page)},
		{"A new practice key, with a name that’s taken", teamview.NewKey(wrong)},
		{"Who uses which", teamview.KeyUsers(page)},
		{"Own keys", teamview.OwnKeys(teamview.ServicePart{OwnAllowed: true, Owning: 2})},
		{"Changing a key with videos under way", teamview.KeyForms(one(page.Keys[1]))},
		{"Changing a key that nobody uses", teamview.KeyForms(one(page.Keys[0]))},
	}
}
