package cast

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/form"
	images "dailies/handlers/picture"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// New shows the form of a new member, with pictures from the URL (?picture=).
func (h *Cast) New(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	if typed, err := h.typed.Typed(r); err != nil {
		return err
	} else if typed != nil {
		values = typed
	}
	f, _ := readCast(values, cast.Member{})
	for _, in := range f.Inputs() {
		in.Base().Error = ""
	}
	return h.draw(w, r, http.StatusOK, f, nil)
}

// Edit shows the form of the member in the path.
func (h *Cast) Edit(w http.ResponseWriter, r *http.Request, id int64) error {
	m, err := h.members.Get(r.Context(), id)
	if err != nil {
		return err
	}
	if m.IsDeleted() {
		return web.SeeOther(w, r, castPath(id))
	}
	f := createview.NewCastForm(m)
	if typed, err := h.typed.Typed(r); err != nil {
		return err
	} else if typed != nil {
		f, _ = readCast(typed, m)
		for _, in := range f.Inputs() {
			in.Base().Error = ""
		}
	}
	return h.draw(w, r, http.StatusOK, f, nil)
}

// Add stores a new member.
func (h *Cast) Add(w http.ResponseWriter, r *http.Request) error {
	return h.save(w, r, cast.Member{})
}

// Save stores the changes to the member in the path.
func (h *Cast) Save(w http.ResponseWriter, r *http.Request, id int64) error {
	m, err := h.members.Get(r.Context(), id)
	if err != nil {
		return err
	}
	return h.save(w, r, m)
}

// save stores the submitted values as a member, which is a new one if old has no ID. If
// pictures were uploaded or picked, it shows the form with them instead.
func (h *Cast) save(w http.ResponseWriter, r *http.Request, old cast.Member) error {
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	f, m := readCast(values, old)
	if len(form.Pressed(came, values)) > 0 {
		tiles := form.Form{Request: db.Request{Scene: string(videoapi.ReferenceToVideo), Pictures: f.Form.Pictures}}
		_, errs := tiles.TakeUploads(came, values)
		for _, in := range f.Inputs() {
			in.Base().Error = ""
		}
		f.Form.Pictures = tiles.Pictures
		return h.draw(w, r, form.StatusFor(errs), f, errs)
	}
	restores := old.IsDeleted() && values.Get("restore") == "on"
	if stale(old, m.Version) && !restores {
		f.Theirs, f.Version = &old, old.Version
		return h.draw(w, r, http.StatusConflict, f, nil)
	}
	errs := form.AddUploadErrors(castErrors(&f, m), values)
	if errs == nil {
		errs, err = h.checkPictures(r, &f, &m)
	}
	if err != nil {
		return err
	}
	if errs != nil {
		return h.draw(w, r, http.StatusUnprocessableEntity, f, errs)
	}
	own, errs, err := h.adopt(r.Context(), site.Me(r), &m, old)
	if err != nil {
		return err
	}
	if errs != nil {
		return h.draw(w, r, http.StatusUnprocessableEntity, f, errs)
	}
	if restores {
		if err := h.members.Restore(r.Context(), old.ID, db.Now()); err != nil && !errors.Is(err, db.ErrConflict) {
			return err
		}
		if old, err = h.members.Get(r.Context(), old.ID); err != nil {
			return err
		}
		m.Version = old.Version
	}
	if old.ID == 0 {
		err = h.members.Create(r.Context(), &m, own)
	} else {
		m, err = h.members.Change(r.Context(), m, own)
	}
	return h.answer(w, r, f, m, err)
}

// stale reports whether the member is not the one that a form with the version showed.
func stale(m cast.Member, version int64) bool {
	return m.ID != 0 && (m.IsDeleted() || m.Version != version)
}

// answer answers a form after its member was stored, or could not be.
func (h *Cast) answer(w http.ResponseWriter, r *http.Request, f createview.CastForm, m cast.Member, err error) error {
	refuse := func(field, sentence string) error {
		return h.draw(w, r, http.StatusUnprocessableEntity, f, input.Errors{field: sentence})
	}
	switch {
	case errors.Is(err, video.ErrHandleTaken):
		return refuse("handle", cast.TakenHandle)
	case errors.Is(err, video.ErrNoPicture):
		return refuse(site.PictureField(0), pictureLeft)
	case errors.Is(err, db.ErrFull):
		return refuse("", castFull)
	case errors.Is(err, video.ErrMemberChanged), errors.Is(err, video.ErrMemberDeleted):
		theirs, err := h.members.Get(r.Context(), f.Member.ID)
		if err != nil {
			return err
		}
		f.Theirs, f.Version = &theirs, theirs.Version
		return h.draw(w, r, http.StatusConflict, f, nil)
	case err != nil:
		return err
	}
	h.typed.Sent(w, r)
	return h.pages.SeeOther(w, r, part.Face{Member: m}.Path(), memberSaved)
}

func (h *Cast) draw(w http.ResponseWriter, r *http.Request, status int, f createview.CastForm, errs input.Errors) (err error) {
	errs.Mark(f.Inputs()...)
	f.Form.Errors = errs
	f.Form.Paths.Upload = f.Path()
	tiles := form.Form{Request: db.Request{Scene: string(videoapi.ReferenceToVideo), Pictures: f.Form.Pictures}}
	f.Form.Pictures = tiles.Inputs()
	if f.Required, err = h.members.RequiresConsent(r.Context()); err != nil {
		return err
	}
	if err := errors.Join(h.making.FillUploads(r, &f.Form), h.making.FillEarlier(r, &f.Form)); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, f.Title(), createview.EditCast(f))
}

// readCast reads the form from the values, and the member that it describes.
func readCast(v url.Values, old cast.Member) (createview.CastForm, cast.Member) {
	f := createview.NewCastForm(old)
	site.ReadInputs(v, f.Inputs()...)
	f.Form.Pictures, f.Form.SlowTold = nil, form.FirstValues(v["slow_told"])
	for _, address := range form.FirstValues(v["picture"]) {
		f.Form.Pictures = append(f.Form.Pictures, strings.TrimSpace(site.PlainText(site.Clip(address, 2048))))
	}
	f.Version = versionOf(v)
	on, _ := cast.ParseDate(f.ConsentOn.Value)
	now := db.Now()
	m := cast.Member{
		ID: old.ID, Handle: f.Handle.Value, Name: f.Name.Value, Kind: cast.Kind(f.Kind.Value), Look: f.Look.Value,
		Pictures: slices.Clone(f.Form.Pictures),
		Consent:  cast.Consent{By: f.ConsentBy.Value, On: on}, Version: f.Version, CreatedAt: now, ChangedAt: now,
	}.Cleaned()
	return f, m
}

// castErrors returns the errors of the form by field; nil if there are none.
func castErrors(f *createview.CastForm, m cast.Member) input.Errors {
	f.Handle.Error = cast.HandleFault(m.Handle)
	f.Look.Error = site.Broken(m.Look, f.Look.Rules) // of which the lines are joined
	errs := input.ErrorsOf(f.Inputs()...)
	if m.Kind != cast.Person {
		delete(errs, "consent_on") // neither is kept
		delete(errs, "consent_by")
	}
	if errs["consent_on"] == cast.BadDate {
		delete(errs, "consent_by")
	}
	pictures := input.Rules{input.Min(1, cast.NoPicture), input.Max(cast.MaxPictures, cast.ManyPictures)}
	if sentence := site.Broken(m.Pictures, pictures); sentence != "" {
		errs[site.PictureField(0)] = sentence
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// checkPictures checks the pictures, and returns the errors by field; nil if there are none. Addresses
// of uploaded pictures become those of today, in the form and in the member.
func (h *Cast) checkPictures(r *http.Request, f *createview.CastForm, m *cast.Member) (input.Errors, error) {
	f.Form.Pictures = images.WithoutGaps(f.Form.Pictures)
	if err := h.pictures.Settle(r.Context(), f.Form.Pictures); err != nil {
		return nil, err
	}
	m.Pictures = slices.Clone(f.Form.Pictures)
	errs := input.Errors{}
	for i, address := range f.Form.Pictures {
		if address != "" && images.AddressSentence(address) != "" {
			errs[site.PictureField(i)] = images.AddressSentence(address)
		}
	}
	if len(errs) > 0 {
		return errs, nil
	}
	_, problems := h.pictures.Look(r.Context(), site.Me(r).ID, f.Form.Pictures, f.Form.SlowTold, nil)
	f.Form.SlowTold = append(f.Form.SlowTold, problems.Slow()...)
	for _, p := range problems {
		errs[p.Field] = p.Text
	}
	if len(errs) == 0 {
		errs = nil
	}
	return errs, nil
}

// adopt gives the pictures that the member did not have before addresses of its own, which
// end with it. Pictures on other sites are copied, so that they stay, unless the service
// could not fetch the copy. It returns the pictures with such addresses.
func (h *Cast) adopt(
	ctx context.Context, u db.User, m *cast.Member, old cast.Member,
) (own []ordering.Picture, errs input.Errors, err error) {
	if m.CreatedBy, m.ChangedBy = u.ID, u.ID; !h.network.CanFetchUploads() {
		return nil, nil, nil
	}
	for i, address := range m.Pictures {
		if slices.Contains(old.Pictures, address) {
			continue
		}
		p, sentence, err := h.pictures.Adopt(ctx, u, address)
		if err != nil {
			return nil, nil, err
		}
		if sentence != "" {
			errs.Set(site.PictureField(i), sentence)
			continue
		}
		m.Pictures[i] = h.pictures.Address(p)
		own = append(own, p)
	}
	return own, errs, nil
}
