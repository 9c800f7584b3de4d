package storybook

import (
	"strings"
	"time"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/schedule"
	"dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Now is the present time in the storybook.
var Now = time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)

const (
	Prompt    = "A tram crosses the bridge at night, rain on the lens, the city lights blurred behind it"
	storySite = "https://images.example.com/"
)

// storyLong is a long text that begins with a very long word.
var storyLong = strings.Repeat("Donaudampfschiff", 12) + strings.Repeat(" A very long prompt from a script, scene by scene.", 8)

// Task returns a task in the state, with matching times, credits and IDs.
func Task(id int64, state db.State) db.Task {
	yes := true
	t := db.Task{
		ID: id, UserID: 1, UserName: "Mara Ellison", Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: Prompt,
			Options: db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &yes}},
		State: state, Status: string(state), Quoted: db.CreditsOf(30), CreatedAt: Now.Add(-4 * time.Minute),
	}
	if state == db.Queued {
		return t
	}
	t.SentAt = t.CreatedAt.Add(time.Second)
	if state == db.Sending || state == db.Rejected || state == db.Unconfirmed {
		if state != db.Sending {
			t.DoneAt = t.SentAt.Add(2 * time.Second)
		}
		return t
	}
	t.AcceptedAt, t.Charged = t.SentAt.Add(time.Second), db.CreditsOf(30)
	t.RemoteID, t.UpstreamID = "01J9ZX4T6V0B", "up-88213"
	if !state.Running() {
		t.DoneAt = t.CreatedAt.Add(130 * time.Second)
	}
	if state == db.Failed {
		t.Returned, t.ReturnedAt = t.Charged, t.DoneAt
	}
	return t
}

// Kept returns a finished task whose files are stored here.
func Kept(id int64) db.Task {
	t := Task(id, db.Success)
	t.Keeping = db.Kept
	t.Results = []db.Result{{Kind: db.Video, URL: "https://cdn.example.com/v/" + strings.Repeat("a", 12) + ".mp4"}}
	t.Media = []db.Media{
		{ID: id*10 + 1, TaskID: id, Kind: db.Video, Type: "video/webm", Size: 3_412_887},
		{ID: id*10 + 2, TaskID: id, Kind: db.Cover, Type: "image/webp", Size: 38_112},
	}
	return t
}

// Card returns the card of the task, with the changes applied, as its maker sees it.
func Card(t db.Task, changes ...func(*db.Task)) part.Card {
	for _, change := range changes {
		change(&t)
	}
	return part.Card{Task: t, ModelName: "Seedance 2.0", Mine: t.UserID == 1, MayDrawCover: t.UserID == 1, Now: Now}
}

// Behind returns the card with ahead tasks that come first.
func Behind(c part.Card, ahead int) part.Card {
	c.Ahead = ahead
	return c
}

// Paced returns the card of a task that waits, with the pace of its key.
func Paced(c part.Card, gap time.Duration) part.Card {
	c.Wait, c.WaitUntil = schedule.KeyPace{Gap: gap}.Wait(c.Ahead), Now.Add(9*time.Minute)
	return c
}

// blocked returns the card of a task whose key is blocked by a create call.
func blocked(c part.Card, frees time.Time, admin bool) part.Card {
	c.Call = schedule.Call{
		TaskID: 1, UserID: 1, Maker: "Mara Ellison", KeyName: "Marketing", KeyEnd: "9f2c", SentAt: Now.Add(-3 * time.Minute),
		FreesAt: frees,
	}
	c.MayFree = admin
	return c
}

func awaitingPrice(c part.Card) part.Card {
	c.AwaitsPrice = true
	return c
}

// Usual returns the card with a history of similar tasks.
func Usual(c part.Card) part.Card {
	c.Usual = schedule.Usual{Count: 8, Low: 2 * time.Minute, High: 4 * time.Minute}
	return c
}

// These are changes that turn a task into another story.

func failedBy(b db.ErrorKind, message string) func(*db.Task) {
	return func(t *db.Task) { t.ErrorKind, t.Message = b, message }
}

func keptAs(k db.Keeping) func(*db.Task) {
	return func(t *db.Task) { t.Keeping, t.Media = k, nil }
}

// refusedNumber returns the card after its maker has entered an ID that the service
// does not know.
func refusedNumber(c part.Card) part.Card {
	c.FollowID, c.FollowError = "01J9ZK", "The video service doesn’t know this video."
	return c
}

func fileGone(t *db.Task) {
	t.Keeping, t.Message = db.Lost, "Its file is missing or damaged in the data folder."
	t.Media = []db.Media{{Kind: db.Video, LostAt: Now}}
}

func retrying(t *db.Task) { t.Attempts = 3 }

func begunLongAgo(t *db.Task) {
	t.CreatedAt, t.SentAt, t.AcceptedAt = Now.Add(-31*time.Minute), Now.Add(-30*time.Minute), Now.Add(-30*time.Minute)
}

func afterDeciding(t *db.Task) { t.DecidedAt = Now.Add(-time.Minute) }

func withoutCover(t *db.Task) { t.Media = t.Media[:1] }

func ofSomebodyElse(t *db.Task) { t.UserID, t.UserName = 2, "Jon Okafor" }

func wordless(t *db.Task) { t.Prompt = "" }

func wordy(t *db.Task) { t.Prompt = storyLong }

func likePicture(t *db.Task) { t.Options.AspectRatio, t.Options.Shape = "9:16", option.LikePicture }

func unseenPicture(t *db.Task) { t.Options.Shape = option.UnseenPicture }

func upright(t *db.Task) { t.Options.AspectRatio = "9:16" }

func veryWide(t *db.Task) { t.Options.AspectRatio = "21:9" }

func titled(t *db.Task) { t.Title = "The boat leaves the harbour" }

func starred(t *db.Task) { t.Starred = true }

func private(t *db.Task) { t.Private = true }

func labelled(tags ...string) func(*db.Task) { return func(t *db.Task) { t.Tags = tags } }

func binned(ago time.Duration) func(*db.Task) {
	return func(t *db.Task) { t.DeletedAt = Now.Add(-ago) }
}

func inJapanese(t *db.Task) {
	t.Prompt = "雨の夜、路面電車が橋を渡る。レンズに雨粒がつき、背景では街の灯りがぼやけている。カメラはゆっくりと寄っていき、車窓の向こうに座る人の横顔がかすかに見える。"
}

func inFrames(t *db.Task) {
	t.Scene, t.Pictures = "frames-to-video", []string{storySite + "bud.jpg", storySite + "flower.jpg"}
}

func seeded(t *db.Task) {
	seed := int64(4711)
	t.Options.Seed = &seed
}

func unpriced(t *db.Task) { t.Quoted, t.Charged, t.Returned = db.Credits{}, db.Credits{}, db.Credits{} }

// Form returns the form of the scene with the model, as it is first shown.
func Form(scene videoapi.Scene, modelID string) create.CreateForm {
	m, _ := videoapi.DefaultCatalog().Model(modelID) // the tests check that the model exists
	form := create.CreateForm{
		Scene: scene, Models: videoapi.DefaultCatalog().For(scene), Model: m, PromptMax: 8000,
		Options: m.Complete(option.Values{Duration: 5, Resolution: m.Resolution, AspectRatio: m.Ratio}).Text(),
		Uploads: true, Price: part.Price{Credits: db.CreditsOf(30), Stated: true},
	}
	switch scene {
	case videoapi.ImageToVideo:
		form.Pictures = make([]string, 1)
	case videoapi.FramesToVideo:
		form.Pictures = make([]string, 2)
	case videoapi.ReferenceToVideo:
		form.Pictures = make([]string, 3)
	}
	return form
}
