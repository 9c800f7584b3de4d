package team_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

func TestKeysOfTheTeamAreTestedSharedAndTakenAway(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	h.Run(t)
	const key = "sk-abcdefghijklmnopqrstuvwxyzWXYZ12"
	owner.Post("/team/keys", url.Values{"name": {"Marketing"}, "key": {key}}).Is(422).Shows("refuses this key, so it isn’t saved").
		Hides(key)
	for field, form := range map[string]url.Values{
		"name": {"name": {" "}, "key": {"x"}}, "key": {"name": {"Marketing"}, "key": {"two words"}},
	} {
		owner.Post("/team/keys", form).Is(422).Has("#" + field + "[aria-invalid=true]")
	}
	owner.Post("/team/keys", url.Values{"name": {strings.Repeat("x", 61)}}).Is(422).Shows("60 characters at most")
	owner.Post("/team/keys", url.Values{"name": {"Marketing"}, "standard": {"1"}}).Is(303) // without a key, the sandbox makes one
	owner.Post("/team/keys", url.Values{"name": {"marketing"}}).Is(422).Shows("has this name")

	// Ada has a key of her own, until the team forbids that.
	ada.Get("/settings").Is(200).Hides("Marketing")
	ada.Post("/team/keys/rule", url.Values{"own": {"forbidden"}}).Is(404)
	owner.Post("/team/keys/rule", url.Values{"own": {"maybe"}}).Is(422).Shows("Choose one")
	owner.Post("/team/keys/rule", url.Values{"own": {"forbidden"}}).Is(303)
	ada.Get("/settings").Is(200).Shows("Team key “<bdi>Marketing</bdi>”").Shows("Your team uses team keys only.").Lacks("[name=key]")
	ada.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	ada.Post("/settings/sandbox/key", nil).Is(303)
	ada.Get("/create/text-to-video").Is(200).Shows("left after this") // the price section shows what is left of the team's balance
	ada.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
	var task db.Task
	handlerstest.Eventually(t, "the video is made", func() (made bool) {
		task, _ = h.Store.Tasks.Task(t.Context(), 1)
		return task.State == db.Success
	})
	if task.KeyID != 1 {
		t.Errorf("it was sent with key %d", task.KeyID)
	}
	if h.Joiner(t, owner, "bo"); hasOwnKey(t, h, 3) {
		t.Error("somebody who joins gets a key that nobody may use")
	}

	// Another key is assigned to her, and revoked.
	owner.Post("/team/keys", url.Values{"name": {"Film"}}).Is(303)
	owner.Post("/team/keys/assign", url.Values{"person": {"2"}, "key": {"2"}}).Is(303)
	ada.Get("/settings").Is(200).Shows("“<bdi>Film</bdi>”")
	for _, form := range []url.Values{{"person": {"99"}, "key": {"2"}}, {"person": {"2"}, "key": {"99"}}, {"person": {"2"}, "key": {"-1"}},
		{"person": {"2"}, "key": {"1e30"}}, {"person": {"2"}}} {
		owner.Post("/team/keys/assign", form).Is(404)
	}
	owner.Get("/team/keys?q=ADA").Is(200).Shows("ada").Shows("1 person uses it")
	owner.Get("/team/keys?q=nobody").Is(200).Shows("Nobody with this")
	owner.Post("/team/keys/2/name", url.Values{"name": {"Marketing"}}).Is(422).Shows("has this name")
	owner.Post("/team/keys/2/name", url.Values{"name": {"Films"}}).Is(303)
	owner.Post("/team/keys/2/test", nil).Is(303)
	owner.Get("/team/keys").Is(200).Shows("“Films”: It works.")
	owner.Post("/team/keys/2/delete", nil).Is(303)
	owner.Post("/team/keys/2/delete", nil).Is(404)
	owner.Post("/team/keys/2/key", nil).Is(404)
	ada.Get("/settings").Is(200).Shows("“<bdi>Marketing</bdi>”")
	owner.Post("/team/keys/standard", url.Values{"key": {"0"}}).Is(303)
	ada.Get("/settings").Is(200).Shows("Ask an admin for a key to make videos.")
	ada.Get("/create/text-to-video").Is(200).Shows("Ask an admin for a team key.").Lacks(`a[href="/settings#sandbox"]`)
	ada.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Shows("Ask an admin to add a key. Your prompt is kept.")
	owner.Get("/create/text-to-video").Is(200).Has(`form a[href="/team/keys"]`)
	owner.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Shows("Add a team key first. Your prompt is kept.")
	if strings.Contains(h.Log.String(), "abcdefgh") {
		t.Error("a key is in the log")
	}
}

func hasOwnKey(t *testing.T, h *handlerstest.Server, userID int64) bool {
	_, err := h.Store.Keys.Key(t.Context(), userID)
	return err == nil
}

// A key with videos under way is replaced and deleted only if the form confirms it.
func TestAKeyWithVideosUnderWayIsLeftAloneUnlessChosen(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	k := h.AddTeamKey(t, "Marketing")
	task := h.AddTask(t, 1, db.Processing)
	must(t, h.Store.Calls.SetTaskKey(t.Context(), task.ID, k.Key))
	page := "/team/keys/" + strconv.FormatInt(k.TeamKeyID, 10)
	owner.Get(page).Is(200).Shows("1 video is still being made with it").Has("#sure").Has("#anyway")
	owner.Post(page+"/key", url.Values{"key": {""}}).Is(422).Shows("Tick this and paste the new key")
	owner.Post(page+"/delete", nil).Is(422).Shows("Tick this, or wait.").Shows("1 video is still being made")
	kept, err := h.Store.Keys.TeamKey(t.Context(), k.TeamKeyID)
	must(t, err)
	if kept.LastFour != k.LastFour {
		t.Error("it was replaced")
	}
	owner.Post(page+"/key", url.Values{"key": {""}, "anyway": {"1"}}).Is(303)
	owner.Post(page+"/delete", url.Values{"sure": {"1"}}).Is(303)
	follows, err := h.Store.Calls.TaskKey(t.Context(), task.ID)
	must(t, err)
	if text, err := h.Config.Vault.OpenKey(follows); err != nil || secrets.LastFour(text) != k.LastFour {
		t.Errorf("it is followed with another key: %v", err)
	}
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "key", ActorID: 1, Limit: 9})
	must(t, err)
	if len(entries) < 2 || entries[0].Action != audit.KeyDeleted || entries[1].Action != audit.KeySaved {
		t.Errorf("the audit says %+v", entries)
	}
}

// While the service cannot be reached, a key is stored and shown as untested.
func TestAKeyIsKeptWhileTheServiceIsAway(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.Wire.Divert(func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
	owner.Post("/team/keys", url.Values{"name": {"Marketing"}, "key": {"sk-0123456789abcdefghij"}}).Is(303)
	owner.Get("/team/keys").Is(200).Shows("couldn’t reach the video service").Shows("Not tested").Shows("ghij").Hides("sk-0123456789")
	owner.Post("/team/keys/1/test", nil).Is(303)
	owner.Get("/team/keys").Is(200).Shows("“Marketing”: We couldn’t reach the video service")
}
