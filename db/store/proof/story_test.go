package proof_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
)

// begin adds the people with whom every history begins.
func (h *history) begin() {
	h.tb.Helper()
	h.align()
	for i, name := range []string{"Kim", "Åsa", "李雷"} {
		u := db.User{Name: name, Email: fmt.Sprintf("person%d@example.com", i), Password: "hash", Role: db.Member, CreatedAt: h.now}
		if i == 0 {
			u.Role = db.Admin
		}
		h.join(u)
	}
}

// join adds the account, as the first one or with a join link.
func (h *history) join(u db.User) {
	h.tb.Helper()
	token := secrets.HashToken(fmt.Sprint("join ", len(h.people), h.steps))
	joined, ok := h.do("join", func(ctx context.Context, s *store.Store) (any, error) {
		u := u
		if len(h.people) == 0 {
			err := s.Accounts.AddFirstUser(ctx, &u)
			return u, err
		}
		i := signin.Invite{Token: token, CreatedBy: h.people[0].ID, CreatedAt: h.now, ExpiresAt: h.now.Add(signin.InviteLife)}
		if err := s.Invites.AddInvites(ctx, []*signin.Invite{&i}, nil); err != nil {
			return nil, err
		}
		err := s.Invites.Join(ctx, token, &u, h.now)
		return u, err
	}).(db.User)
	if ok {
		h.people = append(h.people, joined)
	}
}

// pieces are the parts of texts: scripts with and without spaces, marks that stand
// alone or belong to a letter, and characters with a special meaning elsewhere.
var pieces = []string{
	"a red kite", "uber", "eclair", "istanbul", "quo", "q\u0301uo", "Über", "Ü", "U\u0308ber", "ÉCLAIR", "e\u0301clair", "naïve",
	"straße", "STRASSE", "ﬁlm", "İstanbul", "ısı", "Ångström",
	"红色的风筝", "飞过山", "カメラ", "ｶﾒﾗ", "ゆっくり", "が", "か\u3099", "ー", "ว่าวสีแดง", "บินเหนือทะเล", "ກ", "ខ្មែរ", "မြန်མာ",
	"طائرة ورقية", "الْبَحْر", "لا", "שָׁלוֹם", "воздушный змей", "ёж", "Ёж", "Ὀδυσσεύς", "σίσυφος ΣΊΣΥΦΟΣ", "हिन्दी", "தமிழ்", "한국어 연을",
	"한국",
	"４２", "42", "3.14", "x²", "Ⅳ", "①", "🪁 kite", "👩‍👩‍👧", "z\u0335\u0301", "\u0301", "o'clock", `"quoted"`, `back\slash`, "a:*",
	"NOT kite", "kite-red",
	"under_score", "50%", "<b>&</b>", "tab\there", "new\nline", "\u00a0", "\u200b", "\u202e", "mountain sunset camera", "zeppelin", "A",
	"b", "ß", "ſ", "K", "Å",
}

func (h *history) text() string {
	return strings.Join(some(h, 3, func() string { return one(h, pieces...) }), one(h, " ", "", ", "))
}

// addPieces queues a task for each of the pieces, so that every search finds
// something.
func (h *history) addPieces() {
	h.tb.Helper()
	var tasks []db.Task
	for i, text := range pieces {
		tasks = append(tasks, db.Task{
			UserID: h.people[0].ID, FormToken: fmt.Sprint("piece ", i),
			Request: db.Request{Scene: scenes[0], Model: models[0], Prompt: text}, CreatedAt: h.now,
		})
	}
	h.add(tasks...)
}

// query returns a text to search for: a piece, or a part of one.
func (h *history) query() string {
	letters := []rune(one(h, pieces...))
	from := h.n(len(letters))
	text := string(letters[from : from+h.n(len(letters)-from)+1])
	if h.n(3) == 0 {
		text += " " + one(h, pieces...)
	}
	return text
}

var (
	scenes      = []string{"text-to-video", "image-to-video", "frames-to-video"}
	models      = []string{"veo3", "veo3_fast", "seedance-2.0"}
	ratios      = []string{"16:9", "9:16", ""}
	tagNames    = []string{"Sea", "sea", "ÉTÉ", "été", "海", "a,b", "straße", "  two  words ", ""}
	timeZones   = []string{"UTC", "Asia/Tokyo", "America/St_Johns", "Pacific/Kiritimati", "Europe/Berlin", "Nowhere/At_All"}
	collections = []string{"Spring", "SPRING", "Été", "été", "春", "Straße", "a_b", "a%b"}
	amounts     = []float64{30, 0.1, 0.2, 0.3, 29.999, 1.0005, 0, 1234567.891}
)

func (h *history) options() db.Options {
	o := db.Options{Duration: one(h, 5, 10, 0), AspectRatio: one(h, ratios...), Resolution: one(h, "720p", "480p", "")}
	if yes := h.flag(); h.flag() {
		o.Audio = &yes
	}
	return o
}

func (h *history) credits() db.Credits {
	if h.n(4) == 0 {
		return db.Credits{}
	}
	return db.CreditsOf(one(h, amounts...))
}

// task returns a task that is not added yet. Occasionally its form was already
// sent.
func (h *history) task(u db.User) db.Task {
	h.steps++
	t := db.Task{
		UserID: u.ID, FormToken: fmt.Sprint("form ", h.steps-h.n(12)/11), Request: db.Request{Scene: one(h, scenes...),
			Model: one(h, models...), Prompt: h.text(),
			Options: h.options()}, Quoted: h.credits(), Reserved: float64(h.n(3) * 20), CreatedAt: h.now, Private: h.n(5) == 0,
		Batch: one(h, "", "", "", "batch 1", "batch 2"),
	}
	if h.n(3) == 0 {
		t.ParentID, t.Reuse = h.id(), one(h, db.Reuses()...)
	}
	if h.n(5) == 0 {
		t.RecipeID = h.small()
	}
	if h.n(4) == 0 {
		t.Pictures = []string{"https://example.com/1.png", "https://dailies.example.com/p/" + pictureToken(h.n(3))}
	}
	return t
}

// add queues one or several tasks, and returns the ID of the first.
func (h *history) add(tasks ...db.Task) (first int64) {
	h.tb.Helper()
	kept, _ := h.do("add", func(ctx context.Context, s *store.Store) (any, error) { return s.AddTasks(ctx, tasks) }).([]db.Task)
	for _, t := range kept {
		h.tasks = max(h.tasks, int(t.ID))
	}
	if len(kept) == 0 {
		return 0
	}
	return kept[0].ID
}

// update changes the task by the rules of package db. Both engines get the same
// answers of the service.
func (h *history) update(what string, id int64, change func(*db.Task) error, answers ...db.Answer) {
	h.tb.Helper()
	by := h.n(3)
	h.do(what, func(ctx context.Context, s *store.Store) (any, error) {
		switch by {
		case 0:
			return s.Tasks.SettleTask(ctx, id, change, answers...)
		case 1:
			return s.Calls.SettleCall(ctx, id, change, answers...)
		}
		return s.Tasks.UpdateTask(ctx, id, change, answers...)
	})
}

// report returns a report of the service about the task.
func (h *history) report(id int64, status db.State) db.Report {
	r := db.Report{
		RemoteID: fmt.Sprint("remote ", id), UpstreamID: one(h, "", "up 1"), Status: string(status), Progress: float64(h.n(5)) / 4,
		Charged: h.credits(), Reason: one(h, "", "it cannot be made: "+h.text()),
	}
	if status == db.Success {
		r.Results = []db.Result{{Kind: db.Video, URL: fmt.Sprintf("https://%s.example.com/%d.mp4", one(h, "a", "b"), id)}}
		if h.flag() {
			r.Results = append(r.Results, db.Result{Kind: db.Cover, URL: "https://example.com/cover.jpg"})
		}
	}
	return r
}

// files returns the files that are kept of a video.
func (h *history) files(id int64) []db.Media {
	files := []db.Media{{
		Kind: db.Video, Hash: fmt.Sprintf("%064x", h.n(6)), Type: "video/webm", Size: int64(1000 * h.n(9)),
		Source: "https://example.com/v", CreatedAt: h.now,
	}}
	if h.flag() {
		files = append(files, db.Media{
			Kind: db.Cover, Hash: fmt.Sprintf("%064x", 100+id), Type: "image/jpeg", Size: 77,
			Source: one(h, "", "https://example.com/c"), CreatedAt: h.now,
		})
	}
	return files
}

// film takes a new task to its end in one step, because most calls are about
// finished videos.
func (h *history) film() {
	h.tb.Helper()
	id := h.add(h.task(h.person()))
	if id == 0 {
		return
	}
	report, files, end := h.report(id, db.Success), h.files(id), h.now.Add(time.Duration(30+h.n(200))*time.Second)
	h.update("film", id, func(t *db.Task) error {
		for _, err := range []error{
			t.Begin(h.now), t.Accept(db.Report{RemoteID: report.RemoteID}, h.now, end), t.Report(report, end, end),
			t.Keep(files, true),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
}
