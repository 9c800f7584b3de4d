package handlers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dailies/db"
)

// film writes down a finished video of the person's, with a file.
func (h *house) film(t *testing.T, userID int64, change func(*db.Task)) db.Task {
	t.Helper()
	task := db.Task{
		UserID: userID, FormToken: db.NewToken(), Scene: "text-to-video", Model: "veo3",
		State: db.Queued, CreatedAt: db.Now(),
	}
	change(&task)
	queue(t, h.store, &task)
	hash, size, err := h.config.Media.Put(t.Context(), strings.NewReader(task.FormToken), 1<<20)
	must(t, err)
	task, err = h.store.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		done := db.Report{RemoteID: "r1", Status: "success", Charged: db.CreditsOf(30)}
		if err := errors.Join(t.Accept(done, now, now), t.Report(done, now, now)); err != nil {
			return err
		}
		t.Keeping, t.NextAt = db.Kept, time.Time{}
		t.Media = []db.Media{{Kind: db.Video, Hash: hash, Size: size, Type: "video/webm", CreatedAt: now}}
		change(t)
		return nil
	})
	must(t, err)
	return task
}

func saying(prompt string) func(*db.Task) { return func(t *db.Task) { t.Prompt = prompt } }

func player(t db.Task) string { return fmt.Sprintf(`id="film-%d"`, t.ID) }

func TestTwoToFourVideosAreCompared(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var films []db.Task
	address := "/compare?"
	for i := range 6 {
		films = append(films, h.film(t, 1, func(t *db.Task) { t.Prompt, t.Options.Duration = fmt.Sprintf("boat number %d", i), 5+i }))
		address += fmt.Sprintf("&id=%d", films[i].ID)
	}
	first := fmt.Sprintf("/compare?id=%d", films[0].ID)
	p.get("/compare").is(200).shows("Choose two to four finished videos").hides("<table")
	p.get(first).is(200).shows("Only “boat number 0” is chosen so far").hides(player(films[0]))
	p.get(first + first[len("/compare?")-1:]).is(200).hides("data-player")
	p.get(first+fmt.Sprintf("&id=%d&id=%d", films[0].ID, films[3].ID)).is(200).
		shows(player(films[0]), player(films[3]), "data-transport", ">differs<", "<mark>3</mark>", "boat").hides("left out", "not shown", "Take away")
	four := p.get(address).is(200).shows(player(films[0]), player(films[3]), "2 more are left out", "Take away").hides(player(films[4]))
	if n := strings.Count(four.body, "data-length"); n != 4 {
		t.Errorf("%d videos stand side by side", n)
	}
}

func TestComparingShowsNothingThatIsNotForTheViewer(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	hers, private := h.film(t, 2, saying("hers")), h.film(t, 1, func(t *db.Task) { t.Prompt, t.Private = "hidden words", true })
	binned := h.film(t, 1, func(t *db.Task) { t.Prompt, t.DeletedAt, t.DeletedBy = "thrown away", db.Now(), 1 })
	failed, fileless := h.addTask(t, 1, db.Failed), h.addTask(t, 1, db.Success)
	address := fmt.Sprintf("/compare?id=%d&id=%d&id=%d&id=%d&id=%d&id=99999&id=x", hers.ID, private.ID, binned.ID, failed.ID, fileless.ID)
	ada.get(address).is(200).shows("6 of the chosen videos are not shown", "Only “hers”").hides("hidden words", "thrown away", "paper boat")
	kim.get(address).is(200).shows("5 of the chosen videos are not shown", player(hers), player(private)).hides("thrown away", player(failed), player(fileless))
	kim.get("/compare?" + strings.Repeat("&id=0", 600)).is(200).shows("50 of the chosen videos are not shown")
	h.stranger(t).get(address).is(303)
}
