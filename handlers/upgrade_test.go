package handlers_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/backup"
	"dailies/db/media/splice"
	"dailies/db/ordering"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func TestYesterdaysFolderOpens(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	admin := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	admin.Get("/gallery").Is(200).Shows("The harbour at dusk", "A quiet room").Hides("Into the bin")
	admin.Get("/bin").Is(200).Shows("Into the bin")
	admin.Get("/recipes").Is(200).Shows("Harbour")
	admin.Get("/collections").Is(200).Shows("Spring")
	admin.Get("/tasks/2").Is(200)
	admin.Get("/media/1").Is(200)

	stranger := h.Stranger(t)
	for _, s := range l.Shares {
		want := 200
		if s.Title == "Taken back" {
			want = 404
		}
		stranger.Get("/share/" + s.Token).Is(want)
	}
	_, picture, _ := strings.Cut(l.Picture, "dailies.invalid")
	stranger.Get(picture).Is(200)
	for _, p := range l.People {
		if p.Note == "119 Cyrillic letters" {
			continue
		}
		h.Stranger(t).Post("/login", url.Values{"email": {p.Email}, "password": {p.Password}}).Is(303).LeadsTo("/")
	}
	// Running videos are finished with the key that they were sent with.
	handlerstest.OldBrowser(t, h, l.Person(t, "password in NFD")).Post("/settings/key/delete", nil).Is(303)
	h.Run(t)
	for _, task := range l.Tasks {
		if task.State == "processing" {
			h.Reaches(t, task.ID, "success")
		}
	}
}

// rowCounts returns the number of rows of each table in the folder's database.
func rowCounts(t *testing.T, dir string) map[string]int {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "dailies.db")+"?mode=ro")
	must(t, err)
	defer d.Close()
	rows, err := d.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'`)
	must(t, err)
	counts := map[string]int{}
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		counts[table] = 0
	}
	must(t, rows.Err())
	for table := range counts {
		var n int
		must(t, d.QueryRow(`SELECT count(*) FROM "`+table+`"`).Scan(&n))
		counts[table] = n
	}
	return counts
}

func TestAFolderOfTheFirstDesignOpens(t *testing.T) {
	l := handlerstest.FirstDesign(t)
	before := rowCounts(t, l.Dir)
	h := handlerstest.NewAt(t, l.Dir)
	after := rowCounts(t, l.Dir)
	maps.DeleteFunc(after, func(table string, _ int) bool { _, had := before[table]; return !had })
	after["settings"]-- // that there is no mail server
	if before["tasks"] != 13 || !maps.Equal(before, after) {
		t.Errorf("the tables had %v, and have %v", before, after)
	}
	kim := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	ada := handlerstest.OldBrowser(t, h, l.Person(t, "member"))
	handlerstest.OldBrowser(t, h, l.Person(t, "another browser")).Get("/gallery").Is(200)
	for _, p := range l.People {
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, p.Password)).Is(303).LeadsTo("/")
	}

	wall := kim.Get("/gallery").Is(200).Shows("The harbour at dusk", "The boat leaves", "A quiet room", "A lamp in a garden", "Only for Kim").Hides("Into the bin")
	if n := len(htmltest.All(wall.Root(), ".cell img")); n != 6 {
		t.Errorf("the wall has %d pictures", n)
	}
	ada.Get("/gallery").Is(200).Shows("The harbour at dusk").Hides("Only for Kim")
	kim.Get("/gallery?starred=1").Is(200).Shows("The harbour at dusk", "A quiet room").Hides("The boat leaves")
	kim.Get("/gallery?tag=fog").Is(200).Shows("The harbour at dusk", "The boat leaves").Hides("A quiet room")
	kim.Get("/gallery?q=lamp").Is(200).Shows("A lamp in a garden").Hides("A cup in a kitchen")
	kim.Get("/bin").Is(200).Shows("Into the bin")
	kim.Get("/recipes").Is(200).Shows("Cups").Hides("Taken back")
	kim.Get("/recipes/1").Is(200).Has(`[name="blank:product"]`, `[name="blank:place"]`)
	kim.Get("/collections").Is(200).Shows("Spring").Has(`[action="/collections/2/restore"]`)
	spring := kim.Get("/collections/1").Is(200)
	if second, third := strings.Index(spring.Text, "A quiet room"), strings.Index(spring.Text, "The boat leaves"); second < 0 || third < second {
		t.Error("the collection is in another order")
	}
	kim.Post("/collections/2/restore", nil).Is(303)
	kim.Get("/team/spending").Is(200).Has(`[value="Asia/Tokyo"]`)
	kim.Get("/settings").Is(200).Shows("http://127.0.0.1:9/hook", "Earlier format")
	kim.Get("/settings/webhooks/1").Is(200).Has(`[value="http://127.0.0.1:9/hook"]`).Has(`[action="/settings/webhook/standard"]`)
	kim.Get("/usage").Is(200).Reads(".figure b", "120")
	for _, address := range []string{l.Picture, l.Unused} {
		h.Stranger(t).Get("/p/" + ordering.PictureToken(address)).Is(200)
	}
	for i, want := range []int{200, 404, 200} {
		h.Stranger(t).Get("/share/" + l.Shares[i].Token).Is(want)
	}

	makeThumbs(t, h)
	var batch string
	for _, was := range l.Tasks {
		task, err := h.Store.Tasks.Task(t.Context(), was.ID)
		must(t, err)
		if string(task.State) != was.State || string(task.Keeping) != was.Keeping || task.Prompt != was.Prompt {
			t.Errorf("task %d is %s, %s, %q, and was %+v", was.ID, task.State, task.Keeping, task.Prompt, was)
		}
		if task.Batch != "" {
			batch = task.Batch
		}
		if was.State != "success" {
			continue
		}
		thumb, small := task.Thumb()
		video, kept := task.Video()
		if !small || !kept {
			t.Fatalf("task %d has the files %+v", was.ID, task.Media)
		}
		kim.Get(fmt.Sprintf("/media/%d", thumb.ID)).Is(200)
		at := fmt.Sprintf("/media/%d", video.ID)
		film := kim.Get(at).Is(200).Text
		clip, err := splice.Read(strings.NewReader(film), int64(len(film)))
		must(t, err)
		if clip.Frames() != 24 {
			t.Errorf("video %d has %d frames", was.ID, clip.Frames())
		}
		if part := kim.Get(at, "Range", "bytes=100-199").Is(206); part.Text != film[100:200] {
			t.Errorf("video %d does not play from its middle", was.ID)
		}
	}
	kim.Get("/batches/"+batch).Is(200).Shows("A lamp in a garden", "A cup in a kitchen")
	kim.Get("/story/2").Is(200).Shows("2 scenes", "48 frames")
	kim.Get("/story/2/film").Is(200)
	kim.Get("/tasks/9").Is(200).Has(`form[action="/tasks/9/resend"]`, `form[action="/tasks/9/follow"]`)

	h.Run(t)
	for _, task := range l.Tasks {
		if task.State == "processing" {
			h.Kept(t, task.ID)
		}
	}
	made := handlerstest.Made(t, ada.Post("/create/text-to-video", handlerstest.GoodForm()))
	h.Kept(t, made)
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: l.Dir}, &report); err != nil || !strings.Contains(report.String(), "Kept here: 10 videos and 3 uploaded pictures") {
		t.Errorf("%v\n%s", err, &report)
	}
}
