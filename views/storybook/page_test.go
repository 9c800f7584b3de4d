package storybook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	dbteam "dailies/db/team"
	"dailies/views/account"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/views/team"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

// pages returns all pages in all states that matter, by names that can be used for
// files.
func pages() map[string]templ.Component {
	long := strings.Repeat("A very long prompt that somebody pasted from a script, scene by scene. ", 40)
	all := map[string]templ.Component{}

	all["setup"] = signedOut("Welcome", "/setup", account.Setup(true, signUp("/setup?token=T")))
	all["setup-closed"] = signedOut("Welcome", "/setup", account.Setup(false, account.SignUpForm{}))
	refused := signUp("/setup?token=T")
	refused.Name.Value = "Mara"
	refused.Email.Value, refused.Email.Error = "mara", "This is not an email address."
	refused.Password.Error = "Please take at least 10 characters."
	all["setup-errors"] = signedOut("Welcome", "/setup", account.Setup(true, refused))
	all["login"] = signedOut("Sign in", "/login", account.Login(account.LoginForm{Next: "/gallery"}))
	all["login-provider"] = signedOut("Sign in", "/login", account.Login(account.LoginForm{
		Provider: "your school account", Passkeys: true,
	}))
	all["login-provider-alone"] = signedOut("Sign in", "/login", account.Login(account.LoginForm{
		Provider: "your school account", PasswordsOff: true,
	}))
	all["signed-out"] = signedOut("Signed out", "/logout", account.SignedOut("your school account", "https://login.example.com/end"))
	all["login-code"] = signedOut("Sign in", "/login/code", account.Second(
		"mara@example.com", "", signin.SecondSteps{Codes: true, Passkeys: 1}, nil,
	))
	all["second-needed"] = signedOut("One more step", "/settings/second", account.Needed("/gallery"))
	again := account.Reauthentication{
		Title: "Delete this passkey?", What: "My phone", Button: "Delete passkey", Path: "/settings/passkeys/1/delete",
		Back: "/settings#profile", HasPassword: true,
	}
	all["again"] = signedOut("Delete this passkey?", again.Path, account.ReauthPage(again))
	again.HasPassword = false
	all["again-without-password"] = signedOut("Delete this passkey?", again.Path, account.ReauthPage(again))
	all["codes"] = signedOut("Second step", "/settings/codes", account.ShowCodes(account.CodesPage{
		Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
		Link:   "otpauth://totp/Dailies:mara@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
	}))
	all["codes-kept"] = signedOut("Second step", "/settings/codes", account.ShowCodes(
		account.CodesPage{Recovery: []string{"abcd-efgh-ijkl", "mnop-qrst-uvwx"}},
	))
	all["login-errors"] = signedOut("Sign in", "/login", account.Login(account.LoginForm{
		Email: "mara@example.com", Errors: input.Errors{"": "Email and password do not fit together."},
	}))
	all["join"] = signedOut("Join", "/join/x", account.Join(true, signUp("/join/TOKEN")))
	all["join-closed"] = signedOut("Join", "/join/x", account.Join(false, account.SignUpForm{}))
	all["reset"] = signedOut("New password", "/reset/x", account.Reset(account.ResetForm{
		Action: "/reset/TOKEN", Email: "mara@example.com",
	}))
	all["reset-errors"] = signedOut("New password", "/reset/x", account.Reset(account.ResetForm{
		Action: "/reset/TOKEN", Email: "mara@example.com", Error: "Use at least 10 characters."}))
	all["reset-closed"] = signedOut("New password", "/reset/x", account.Reset(account.ResetForm{}))
	all["error"] = shown("Not found", "/tasks/9", part.ShowError("There is nothing here, or it is not yours to see.", "8f2c1a"))
	all["error-out"] = signedOut("Something broke", "", part.ShowError(
		"Something went wrong on our side. What you typed is still in the form when you go back.", "",
	))

	all["create-first"] = practising("Text", "/create/text-to-video", create.Create(
		emptyForm(videoapi.TextToVideo, "seedance-2.0"), create.Latest{},
	))
	all["create-text"] = shown("Text", "/create/text-to-video", create.Create(
		filled(emptyForm(videoapi.TextToVideo, "bytedance/v1-pro-text-to-video")), latest(),
	))
	frames := filled(emptyForm(videoapi.FramesToVideo, "seedance-2.0"))
	frames.Pictures = []string{"https://images.example.com/harbour.jpg", "harbour-late"}
	frames.Errors = input.Errors{
		"image_input.1": "This is not a web address. It starts with https://", "prompt": "Please say what happens.",
		"duration": "This model makes 4 to 15 seconds.",
	}
	frames.Prompt = ""
	all["create-errors"] = shown("Start and end", "/create/frames-to-video", create.Create(frames, latest()))
	image := emptyForm(videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video")
	image.Options["seed"], image.NoKey, image.Price = "seven", part.LacksOwnKey, part.Price{}
	image.Errors = input.Errors{"seed": "A seed is a whole number.", "": "Add your API key first."}
	image.Notes = []string{"The length is 5 s now, because this model makes 5 or 10 s."}
	all["create-image"] = shown("Image", "/create/image-to-video", create.Create(image, create.Latest{}))
	references := filled(emptyForm(videoapi.ReferenceToVideo, "veo3_fast"))
	references.Pictures[0] = "https://images.example.com/cat.jpg"
	references.Price = part.Price{Credits: db.CreditsOf(60)}
	all["create-reference"] = shown("References", "/create/reference-to-video", create.Create(references, unhappy()))
	tooLong := emptyForm(videoapi.TextToVideo, "seedance-2.0")
	tooLong.Prompt, tooLong.Errors = long, input.Errors{"prompt": "At most 2,000 letters, please."}
	all["create-long"] = shown("Text", "/create/text-to-video", create.Create(tooLong, latest()))

	addRecipes(all)

	for name, c := range map[string]part.Card{
		"queued": card(task(1, db.Queued)), "processing": usual(card(task(2, db.Processing))), "ready": card(kept(3)), "failed": failed(4),
		"saving":      card(with(kept(5), func(t *db.Task) { t.Keeping, t.Media = db.Saving, nil })),
		"unconfirmed": card(task(6, db.Unconfirmed)),
		"nowhere":     card(task(7, db.Success)), "lost": keeping(db.Lost, db.ServiceError), "no-room": keeping(db.Saving, db.SpaceError),
		"portrait": card(with(kept(8), func(t *db.Task) {
			t.Options.AspectRatio, t.Prompt, t.Scene = "9:16", long, "frames-to-video"
			t.Pictures = []string{"https://images.example.com/a.jpg", "javascript:alert(1)"}
		})),
	} {
		all["task-"+name] = shown(c.Title(), "/tasks/1", library.ShowTask(library.TaskPage{Card: c, Answers: answers()}))
	}

	scenes := []part.Card{
		card(kept(80)), card(with(kept(81), func(t *db.Task) { t.Prompt, t.Options.AspectRatio = "", "9:16" })),
		card(with(kept(82), func(t *db.Task) { t.Prompt, t.Starred = long, true })),
	}
	all["compare"] = shown("Compare", "/compare", library.ShowCompare(library.Compare{Cards: scenes, Left: 1, Missing: 2}))
	all["compare-one"] = shown("Compare", "/compare", library.ShowCompare(library.Compare{Cards: scenes[:1], Missing: 1}))
	all["story"] = shown("Storyline", "/story/81", library.ShowStory(library.Story{ID: 81, Scenes: storyScenes(scenes)}))
	all["story-empty"] = shown("Storyline", "/story/80", library.ShowStory(library.Story{ID: 80}))
	all["task-next"] = shown("Video", "/tasks/81", library.ShowTask(library.TaskPage{
		Card: scenes[1], Uploads: true, NextError: "This file holds no picture.", Story: []db.Task{scenes[0].Task, scenes[1].Task}}))

	all["gallery"] = shown("Gallery", "/gallery", library.ShowGallery(fullGallery()))
	all["gallery-empty"] = practising("Gallery", "/gallery", library.ShowGallery(library.Gallery{Empty: true}))
	all["gallery-none"] = shown("Gallery", "/gallery", library.ShowGallery(lost()))
	all["bin"] = shown("Bin", "/bin", library.ShowBin(bin()))
	all["bin-empty"] = shown("Bin", "/bin", library.ShowBin(library.Bin{}))

	all["settings"] = practising("Settings", "/settings", account.ShowSettings(settings()))
	all["webhook"] = shown("Webhook", "/settings/webhooks/1", webhook())
	all["webhook-new"] = shown("New webhook", "/settings/webhooks/new", account.ShowNewWebhook(account.NewWebhookForm(true)))
	all["webhooks-team"] = shown("Webhooks of the team", "/team/webhooks", account.ShowTeamsWebhooks(webhooks(), "Deleted."))
	none := settings()
	none.Keys, none.Sandbox = account.KeyPart{}, nil
	none.Errors = input.Errors{"key": "Please paste the whole key.", "current": "This is not your password."}
	all["settings-none"] = shown("Settings", "/settings", account.ShowSettings(none))
	shared := settings()
	shared.Keys = account.KeyPart{
		Team: &secrets.Key{LastFour: "1a2b", CheckedAt: now, Accepted: true}, TeamName: "Marketing",
		Own: &secrets.Key{LastFour: "9f2c"}, Forbidden: true,
	}
	all["settings-team"] = shown("Settings", "/settings", account.ShowSettings(shared))
	all["team-keys"] = shown("Team keys", "/team/keys", team.ShowKeys(storybook.TeamKeys()))
	all["team-keys-none"] = practising("Team keys", "/team/keys", team.ShowKeys(team.KeysPage{
		OwnAllowed: true, Without: 1, Own: team.NewOwnKeys(true), New: team.NewNewKeyForm(true),
	}))
	all["team-key"] = shown("Marketing", "/team/keys/1", team.ShowKey(team.KeyPage{
		Key: storybook.TeamKeys().Keys[1], Name: team.NewKeyName("Marketing", ""), Secret: team.OtherSecret(false),
		Sure: team.NotDeleted,
	}))
	all["members"] = shown("People", "/members", team.ShowMembers(members()))
	all["spending"] = shown("Spending", "/team/spending", team.ShowSpending(storybook.SpendingPage()))
	all["limit"] = shown("Your limit", "/limit", storybook.LimitPage())
	all["usage"] = shown("Usage", "/usage", account.ShowUsage(usage()))
	all["storybook"] = signedOut("Storybook", "/dev/storybook", storybook.ShowStorybook())
	all["keys"] = shown("Keyboard", "/keys", account.ShowKeys())
	all["usage-empty"] = shown("Usage", "/usage", account.ShowUsage(account.UsagePage{}))
	return all
}

func filled(f create.CreateForm) create.CreateForm {
	f.Prompt = tram
	f.Price.Stated = false
	return f
}

func failed(id int64) part.Card {
	return card(with(
		task(id, db.Failed),
		func(t *db.Task) { t.ErrorKind, t.Message = db.RequestError, "content was blocked by the safety filter" },
	))
}

func latest() create.Latest {
	return create.Latest{Cards: []part.Card{
		usual(card(task(21, db.Processing))),
		card(with(kept(20), func(t *db.Task) { t.Prompt = "Sunset over the salt flats, a lone cyclist, wide shot" })),
		failed(19),
	}}
}

func unhappy() create.Latest {
	rejected := func(id int64, b db.ErrorKind, message string) part.Card {
		return card(with(task(id, db.Rejected), func(t *db.Task) { t.ErrorKind, t.Message = b, message }))
	}
	return create.Latest{Cards: []part.Card{
		card(task(31, db.Queued)),
		card(with(task(32, db.Processing), func(t *db.Task) { t.CreatedAt = ago(31 * time.Minute) })),
		card(task(33, db.Unconfirmed)),
		card(with(task(34, db.Unconfirmed), func(t *db.Task) { t.DecidedAt = ago(time.Hour) })),
		rejected(35, db.KeyError, "no auth"), rejected(36, db.CreditsError, "insufficient credits"), rejected(37, db.ServiceError, ""),
		rejected(38, db.RequestError, "<b>invalid</b> params"),
		card(task(39, db.Canceled)),
		card(with(kept(40), func(t *db.Task) { t.Keeping, t.Media = db.Saving, nil })),
		card(task(41, db.Success)),
		card(with(kept(42), func(t *db.Task) { t.Keeping, t.Media = db.Lost, nil })),
	}}
}

func answers() []db.Answer {
	return []db.Answer{
		{
			Call: "create", Status: "pending", HTTP: 200,
			Body: `{"code":0,"message":"ok","data":{"id":"01J9","status":"pending"}}`, At: ago(4 * time.Minute),
		},
		{Call: "query", HTTP: 502, Body: "<html><script>alert(1)</script></html>", At: ago(time.Minute)},
	}
}

func galleryCards() []part.Card {
	prompts := []string{tram, "Paper boat drifts out of the harbour as the fog lifts", "Sunset over the salt flats, a lone cyclist",
		"Macro of dew on a fern, focus pull",
		"Neon market alley, handheld, slow motion", "Clay astronaut waves from a crater", "Coffee pours into a glass, studio light",
		"Aerial of terraced fields at dawn"}
	var cards []part.Card
	for i, p := range prompts {
		cards = append(cards, card(with(kept(int64(50+i)), func(t *db.Task) {
			t.Prompt, t.CreatedAt = p, ago(time.Duration(i*i)*7*time.Hour)
			if i%3 == 1 {
				t.UserID, t.UserName = 2, "Jon Okafor"
			}
			if i%4 == 3 {
				t.Media = t.Media[:1]
			}
		})))
	}
	return append(cards, failed(49))
}

func signUp(action string) account.SignUpForm {
	form := account.NewSignUpForm()
	form.Action = action
	return form
}

func settings() account.SettingsPage {
	return account.SettingsPage{
		Name: "Mara Ellison", Keys: account.KeyPart{
			Said: "The service accepts this key.", Running: 2,
			Own: &secrets.Key{LastFour: "9f2c", CreatedAt: ago(48 * time.Hour), CheckedAt: ago(time.Minute), Accepted: true},
		},
		Sandbox: &account.SandboxAccount{
			Balance: 1970, Known: true,
			Keys: []videoapi.Key{{ID: 2, Name: "Mara", Tail: "stuv", CreatedAt: now}, {
				ID: 1, Name: "Mara", Tail: "9f2c", CreatedAt: ago(48 * time.Hour), UsedAt: ago(time.Hour), RevokedAt: now,
			}},
			Ledger: []videoapi.Entry{
				{ID: 2, Kind: videoapi.Deducted, TaskID: "t", Credits: -30, Balance: 1970, At: ago(time.Hour)},
				{ID: 1, Kind: videoapi.ToppedUp, Credits: 2000, Balance: 2000, At: ago(48 * time.Hour)},
			},
		},
		Sessions: []signin.Session{
			{
				ID: 1, Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", SeenAt: now,
				CreatedAt: ago(72 * time.Hour),
			},
			{
				ID: 2, Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604",
				SeenAt: ago(26 * time.Hour), CreatedAt: ago(300 * time.Hour),
			},
		}, Current: 1,
		Webhooks: account.WebhookPart{Hooks: webhooks(), NewSecret: "whsec_ABC", Said: "The test arrived."},
	}
}

// webhooks returns one webhook in each state.
func webhooks() []outbox.Webhook {
	return []outbox.Webhook{
		{
			ID: 1, UserID: 1, Address: "https://hooks.example.com/dailies", Events: outbox.Events(), State: outbox.On,
			SentAt: ago(2 * time.Minute),
		},
		{
			ID: 2, UserID: 1, Address: "https://old.example.com/hook", Events: []outbox.Event{outbox.VideoReady},
			Standard: true, State: outbox.Paused, Failures: 10, FailingSince: ago(time.Hour), Waiting: 14,
		},
		{
			ID: 3, UserID: 1, Address: "https://gone.example.com/",
			Events: []outbox.Event{outbox.NoteCreated, outbox.VerdictGiven}, Standard: true, State: outbox.Off,
		},
		{
			ID: 4, UserID: 1, Address: "https://slow.example.com/", Events: []outbox.Event{outbox.LimitAsked}, Standard: true,
			State: outbox.On, Failures: 2, QuietUntil: now.Add(time.Minute),
		},
		{
			ID: 5, UserID: 1, Address: "https://new.example.com/", Events: []outbox.Event{outbox.VideoFailed}, Standard: true,
			State: outbox.On,
		},
	}
}

func webhook() templ.Component {
	hook := webhooks()[0]
	return account.ShowWebhook(hook, account.WebhookFormOf(hook), "The test arrived.", "whsec_ABC", []outbox.Delivery{
		{ID: 4, WebhookID: 1, Event: outbox.VideoReady, State: db.Success, TaskID: 20, CreatedAt: now},
		{
			ID: 3, WebhookID: 1, Event: outbox.VideoFailed, State: db.Failed, TaskID: 19, CreatedAt: ago(time.Hour),
			Tries: 3, TriedAt: ago(time.Minute), NextAt: now.Add(90 * time.Second), HTTP: 500,
			Problem: "It answered with HTTP 500.",
		},
		{
			ID: 2, WebhookID: 1, Event: outbox.VideoCanceled, State: db.Canceled, TaskID: 18,
			CreatedAt: ago(80 * time.Hour), Tries: 10, Outcome: outbox.GaveUp, Problem: "We couldn’t reach it.",
		},
		{ID: 1, WebhookID: 1, Event: outbox.TestSent, CreatedAt: ago(90 * time.Hour), Tries: 1, Outcome: outbox.Delivered, HTTP: 204},
	})
}

func members() team.MembersPage {
	return team.MembersPage{
		Members: []dbteam.Member{
			{User: *viewer(), Spent: 180, Key: dbteam.KeyInUse{IsOwn: true, LastFour: "K7QX"}},
			{User: db.User{ID: 2, Name: "Jon Okafor", Email: "jon@example.com", Role: db.Member, CreatedAt: ago(50 * time.Hour)}},
		},
		Active: 2, Found: 2, Page: 1, Pages: 1, Names: map[int64]string{2: "Jon Okafor"},
		NewLinks: []team.NewLink{{Address: "https://dailies.example.com/join/ABCDEFGHIJKLMNOPQRSTUVWXYZ"}},
		Invites: []signin.Invite{
			{ID: 3, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife)},
			{ID: 2, CreatedAt: ago(60 * time.Hour), ExpiresAt: now.Add(time.Hour), UsedAt: ago(50 * time.Hour), UsedBy: 2},
			{ID: 1, CreatedAt: ago(400 * time.Hour), ExpiresAt: ago(200 * time.Hour)},
		},
	}
}

func usage() account.UsagePage {
	page := storybook.Usage()
	page.Recent = []db.Task{kept(20), failed(19).Task, task(18, db.Rejected), task(17, db.Unconfirmed)}
	return page
}

// TestPagesCanBeLookedAt writes every page to the folder that DAILIES_PAGES names, with
// the static files' URLs as on the server.
func TestPagesCanBeLookedAt(t *testing.T) {
	folder := os.Getenv("DAILIES_PAGES")
	if folder == "" {
		t.Skip("DAILIES_PAGES names no folder")
	}
	for name, page := range pages() {
		if err := os.WriteFile(filepath.Join(folder, name+".html"), []byte(htmltest.Render(t, page)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// storyScenes returns the videos as scenes of a storyline, the first of them cut.
func storyScenes(cards []part.Card) (scenes []library.Scene) {
	for _, c := range cards {
		scenes = append(scenes, library.Scene{Card: c})
	}
	scenes[0].Frames, scenes[0].Start, scenes[0].Finish, scenes[0].Keys = 120, 48, 96, []int{0, 48}
	return scenes
}
