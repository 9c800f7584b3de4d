package team

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/service"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/videoapi"
)

// Connection connects the video service that the team uses, and returns to practice mode.
type Connection struct {
	desk     *service.Desk
	page     *connectPage
	services *people.Services
	tests    *serviceTests
	wake     func() // tells the watcher that it may send again
}

// servicePath is the path of the page of the video service.
const servicePath = "/team/service"

// Show shows which service the team uses, and the form that connects another one.
func (c *Connection) Show(w http.ResponseWriter, r *http.Request) error {
	return c.page.draw(w, r, http.StatusOK, teamview.ConnectPage{Connected: r.URL.Query().Has("connected")})
}

// Proven returns a handler that saves what the form asks for if the viewer has tested a
// service in this browser a few minutes ago, and thus has proven who they are. Otherwise it
// asks first.
func (c *Connection) Proven(asks web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		_, known, err := c.tests.kept(r)
		if err != nil {
			return err
		}
		if known {
			return c.Save(w, r)
		}
		return asks(w, r)
	}
}

// Save tests a service, makes the team use it, returns to practice mode, or confirms the
// services or the webhooks of a backup.
func (c *Connection) Save(w http.ResponseWriter, r *http.Request) error {
	if err := c.desk.Refresh(r.Context()); err != nil {
		return err
	}
	do := r.PostFormValue("do")
	switch do {
	case "confirm":
		return c.confirm(w, r)
	case "webhooks":
		return c.confirmHooks(w, r)
	}
	used := c.desk.Current()
	switch was := site.ParseID(r.PostFormValue("was")); {
	case c.desk.SettingsName() != "":
		return c.refuse(w, r, teamview.ServiceFixed)
	case was != 0 && was != used.ID:
		return c.refuse(w, r, teamview.ServiceChanged)
	case do == "test":
		return c.test(w, r)
	case do == "connect":
		return c.connect(w, r, used)
	case do == "practice":
		return c.practise(w, r, used)
	}
	return c.page.draw(w, r, http.StatusUnprocessableEntity, teamview.ConnectPage{Error: teamview.NoAnswer})
}

// refuse answers with the page and a sentence that says why nothing was changed. What was
// typed stays.
func (c *Connection) refuse(w http.ResponseWriter, r *http.Request, sentence string) error {
	page := teamview.ConnectPage{Error: sentence}
	if typed := r.PostFormValue("address"); typed != "" {
		ending, err := c.tests.keepTyped(w, r)
		if err != nil {
			return err
		}
		page.Form = teamview.NewConnectForm(teamview.WithoutUser(site.Clip(site.PlainText(typed), videoapi.MaxAddress)), ending)
	}
	return c.page.draw(w, r, http.StatusConflict, page)
}

// test tests a service. The page then offers to make the team use it.
func (c *Connection) test(w http.ResponseWriter, r *http.Request) error {
	tested, status, form, err := c.tests.ask(w, r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return c.page.draw(w, r, status, teamview.ConnectPage{Form: form})
	}
	if err := c.tests.keep(w, r, tested); err != nil {
		return err
	}
	return web.SeeOther(w, r, servicePath+"#connect")
}

// connect tests the service once more and makes the team use it. If the service does not
// say whether the key is good, the page asks first.
func (c *Connection) connect(w http.ResponseWriter, r *http.Request, used db.Service) error {
	tested, status, form, err := c.tests.ask(w, r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return c.page.draw(w, r, status, teamview.ConnectPage{Form: form})
	}
	if tested.found == videoapi.FoundUnsaid && !tested.again {
		if err := c.tests.keep(w, r, tested); err != nil {
			return err
		}
		return web.SeeOther(w, r, servicePath+"#connect")
	}
	key, seal := c.tests.seal(tested)
	err = c.services.Connect(r.Context(), used.ID, tested.address, key, seal)
	switch {
	case errors.Is(err, db.ErrConflict):
		return c.refuse(w, r, teamview.ServiceChanged)
	case errors.Is(err, db.ErrFull):
		return c.refuse(w, r, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	if err := c.tests.drop(w, r); err != nil {
		return err
	}
	return c.changed(w, r, servicePath+"?connected=1", "")
}

// practise makes the team use the embedded service.
func (c *Connection) practise(w http.ResponseWriter, r *http.Request, used db.Service) error {
	switch {
	case !c.desk.CanPractise():
		return c.refuse(w, r, teamview.PracticeFull)
	case used.Practice:
		return c.page.pages.SeeOther(w, r, servicePath, teamview.ServicePractice)
	}
	console, err := c.desk.OpenConsole(r.Context())
	if err != nil {
		return err
	}
	text, err := console.NewKey(r.Context(), practiceAccount, site.SandboxCredits)
	if err != nil {
		return err
	}
	key, seal := c.tests.seal(testedService{key: text, found: videoapi.FoundAccepted})
	err = c.services.Practise(r.Context(), used.ID, service.PracticeBase, key, seal)
	switch {
	case errors.Is(err, db.ErrConflict):
		return c.refuse(w, r, teamview.ServiceChanged)
	case errors.Is(err, db.ErrFull):
		return c.refuse(w, r, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	return c.changed(w, r, servicePath, teamview.ServicePractice)
}

// confirm lets the services be called that came with a backup.
func (c *Connection) confirm(w http.ResponseWriter, r *http.Request) error {
	if err := c.services.Confirm(r.Context()); err != nil {
		return err
	}
	return c.changed(w, r, servicePath, teamview.ServiceConfirmed)
}

// confirmHooks lets the webhooks be told that came with a backup.
func (c *Connection) confirmHooks(w http.ResponseWriter, r *http.Request) error {
	n, err := c.page.webhooks.Confirm(r.Context())
	if err != nil {
		return err
	}
	c.desk.Log.Info("webhooks of a backup were confirmed", "webhooks", n, "by", site.Me(r).ID)
	return c.page.pages.SeeOther(w, r, servicePath, teamview.HooksConfirmed)
}

// changed makes this process use what was changed, and leads to the page. Others see it
// within a second.
func (c *Connection) changed(w http.ResponseWriter, r *http.Request, path, sentence string) error {
	if err := c.desk.Refresh(r.Context()); err != nil {
		return err
	}
	c.desk.Log.Info("the video service was changed", "service", c.desk.Current().Address, "by", site.Me(r).ID)
	c.wake()
	if sentence == "" {
		return web.SeeOther(w, r, path)
	}
	return c.page.pages.SeeOther(w, r, path, sentence)
}

// seal returns the key of a tested service as one of the team, and what seals it.
func (t *serviceTests) seal(tested testedService) (*team.Key, func(secrets.KeyOwner) []byte) {
	k := &team.Key{Name: connectedKey, Key: secrets.Key{
		LastFour: secrets.LastFour(tested.key), Fingerprint: t.vault.Fingerprint(tested.key), CreatedAt: db.Now(),
	}}
	if tested.found == videoapi.FoundAccepted {
		k.CheckedAt, k.Accepted = k.CreatedAt, true
	}
	return k, func(o secrets.KeyOwner) []byte { return t.vault.SealFor(o, tested.key) }
}
