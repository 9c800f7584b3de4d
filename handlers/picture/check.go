package picture

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/format"
	"dailies/db/ordering"
	"dailies/handlers/service"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web/address"
	"dailies/web/picture"
)

// Note returns the note under a picture's field about what was typed there: the address of a
// picture, or the handle of a cast member.
func (h *Pictures) Note(ctx context.Context, userID int64, typed string) (note createview.PictureNote, err error) {
	if choice, ok := cast.ParseChoice(typed); ok {
		return h.ofCast(ctx, choice)
	}
	address := []string{typed}
	if err := h.Settle(ctx, address); err != nil {
		return note, err
	}
	if sentence := AddressSentence(address[0]); sentence != "" {
		note = createview.BadPicture(sentence)
	} else if address[0] != "" {
		note = h.Judge(ctx, userID, address[0])
	}
	if _, shared := PictureLink(typed); shared && note.Text == "" {
		note.Text = createview.ShareLinkChanged
	}
	return note, nil
}

// ofCast returns the note about the picture of a cast member.
func (h *Pictures) ofCast(ctx context.Context, choice cast.Choice) (createview.PictureNote, error) {
	found, err := h.members.ByHandles(ctx, []string{choice.Handle})
	if err != nil {
		return createview.PictureNote{}, err
	}
	if len(found) == 0 || choice.Number > len(found[0].Pictures) {
		return createview.BadPicture(createview.NobodyCalled([]string{choice.String()})), nil
	}
	return createview.CastNote(choice, found[0]), nil
}

// Look checks the pictures, all at the same time and each address once, and returns what
// is known of them, with a problem for each unusable one. It does not check those that were
// seen before. One that is slow again is no problem if the user has accepted that. A host
// name that cannot be resolved here may still be known to a real service, so it is a problem
// only for the sandbox, which fetches pictures from here; the note under the field mentions
// it in any case.
func (h *Pictures) Look(ctx context.Context, userID int64, pictures, accepted []string,
	seen map[string]createview.PictureNote) (map[string]createview.PictureNote, site.Problems) {
	addresses := WithoutGaps(pictures)
	slices.Sort(addresses)
	addresses = slices.DeleteFunc(slices.Compact(addresses), func(address string) bool {
		_, known := seen[address]
		return known
	})
	found := make([]createview.PictureNote, len(addresses))
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() { found[i] = h.Judge(ctx, userID, address) })
	}
	all.Wait()
	looked := map[string]createview.PictureNote{}
	maps.Copy(looked, seen)
	for i, address := range addresses {
		looked[address] = found[i]
	}
	var problems site.Problems
	for i, address := range pictures {
		note := looked[address]
		if !slices.Contains(addresses, address) || !h.Refuses(note) {
			continue
		}
		problem := site.Problem{Kind: site.BadPicture, Field: site.PictureField(i), Text: note.Text, Address: address}
		switch {
		case note.Slow && slices.Contains(accepted, address):
			continue
		case note.Slow:
			problem.Kind, problem.Text, problem.Bare = site.SlowPicture, note.Insist(), note.Text
		case note.Unchecked:
			problem.Kind, problem.Text, problem.Bare, problem.Wait = site.UncheckedPicture, note.Again(), note.Text, note.Wait
		}
		problems = append(problems, problem)
	}
	return looked, problems
}

// Refuses reports whether a picture with this note cannot be used.
func (h *Pictures) Refuses(note createview.PictureNote) bool {
	return note.Bad && (!note.Unknown || h.registry.IsPractice())
}

// beyond returns a sentence about an address that the service that the team uses can
// certainly not fetch, because only practice mode could. It asks nobody.
func (h *Pictures) beyond(address string) string {
	switch {
	case h.registry.IsPractice():
	case isOn(unnamedBase, address), h.wasHere(address) && !h.network.CanFetchUploads():
		return createview.UploadsOff
	case isOn(service.PracticeBase, address):
		return createview.OfPractice
	}
	return ""
}

// isOn reports whether the address has the host of the base URL.
func isOn(base, address string) bool {
	of, errOf := url.Parse(base)
	at, errAt := url.Parse(address)
	return errors.Join(errOf, errAt) == nil && strings.EqualFold(of.Hostname(), at.Hostname())
}

// OutOfReach returns a problem for each picture that beyond has a sentence about.
func (h *Pictures) OutOfReach(pictures []string) (problems site.Problems) {
	for i, address := range pictures {
		if sentence := h.beyond(address); sentence != "" {
			problems = append(problems, site.Problem{Kind: site.BadPicture, Field: site.PictureField(i), Text: sentence, Address: address})
		}
	}
	return problems
}

// Judge returns a note about the picture at the address. An uploaded picture is known
// without a request; for others, the checker lets the users take turns.
func (h *Pictures) Judge(ctx context.Context, userID int64, address string) createview.PictureNote {
	note, known := h.judge(ctx, address, true)
	if sentence := h.beyond(address); sentence != "" {
		note, known = createview.BadPicture(sentence), true
	}
	if !known {
		note = createview.NoteOf(h.Checker.Check(ctx, strconv.FormatInt(userID, 10), address), true)
	}
	note.Address = address
	return note
}

// JudgeLater returns notes about the pictures at the addresses. Those that cannot be looked at
// yet are checked in the background, and their notes say so. With anew, what could not be used
// before is looked at again.
func (h *Pictures) JudgeLater(ctx context.Context, userID int64, addresses []string, anew bool) map[string]createview.PictureNote {
	notes, person := map[string]createview.PictureNote{}, strconv.FormatInt(userID, 10)
	var elsewhere []string
	for _, address := range addresses {
		note, known := h.judge(ctx, address, true)
		if sentence := h.beyond(address); sentence != "" {
			note, known = createview.BadPicture(sentence), true
		}
		note.Address = address
		if notes[address] = note; !known {
			elsewhere = append(elsewhere, address)
		}
	}
	if anew {
		h.Checker.Forget(elsewhere)
	}
	h.Checker.CheckInBackground(ctx, person, elsewhere)
	found := h.Checker.Found(ctx, person, elsewhere)
	for _, address := range elsewhere {
		note := createview.PictureNote{Bad: true, Unchecked: true}
		if f, ok := found[address]; ok {
			note = createview.NoteOf(f, true)
		}
		note.Address = address
		notes[address] = note
	}
	return notes
}

// judge is like Pictures.Judge for a picture that was uploaded here; known is false for any
// other. Without whole, it does not look at the file.
func (h *Pictures) judge(ctx context.Context, address string, whole bool) (note createview.PictureNote, known bool) {
	token := ordering.PictureToken(address)
	if token == "" {
		return note, false
	}
	uploaded, err := h.stored.Picture(ctx, token)
	here := err != nil
	if err == nil {
		here, err = h.media.Has(ctx, uploaded.Hash)
	}
	switch {
	case errors.Is(err, db.ErrNotFound) && h.wasHere(address), !here && err == nil:
		return createview.PictureGone(), true
	case err != nil:
		return note, false
	case !h.network.CanFetchUploads():
		return createview.BadPicture(createview.UploadsOff), true
	}
	if whole {
		switch f := h.whole(ctx, uploaded); f.Fault {
		case picture.Fine:
			uploaded.Width, uploaded.Height = f.Info.Width, f.Info.Height // as people see it
		case picture.Unreachable:
			return note, false
		default:
			return createview.NoteOf(f, false), true
		}
	}
	info := picture.Info{Type: uploaded.Type, Width: uploaded.Width, Height: uploaded.Height}
	note = createview.NoteOf(picture.Finding{Info: info}, false)
	note.Name = uploaded.Name
	if uploaded.Size > 0 {
		note.Facts = format.Facts(note.Facts, part.Bytes(uploaded.Size))
	}
	return note, true
}

// Seen returns the notes about the uploaded pictures among the addresses.
func (h *Pictures) Seen(ctx context.Context, addresses []string) (map[string]createview.PictureNote, error) {
	seen := map[string]createview.PictureNote{}
	for _, address := range addresses {
		if note, known := h.judge(ctx, address, false); known {
			seen[address] = note
		}
	}
	return seen, ctx.Err()
}

// AddressSentence returns what is wrong with the syntax of a picture's address, or ""
// if the address is valid or empty.
func AddressSentence(typed string) string {
	address, _ := PictureLink(typed)
	return site.Broken(address, createview.AddressRules())
}

// PictureLink returns the address that was typed or pasted as browsers understand it, and leads
// from the page on which a file store shows a picture to the picture itself, which shared
// reports. Anything else than a web address is returned as it is.
func PictureLink(typed string) (link string, shared bool) {
	link, ok := address.Repair(typed)
	if !ok {
		return typed, false
	}
	u, err := url.Parse(link)
	if err != nil {
		return link, false
	}
	switch host := u.Hostname(); {
	case host == "drive.google.com":
		if id := driveFile.FindStringSubmatch(u.Path); id != nil {
			file := url.Values{"export": {"download"}, "id": {id[1]}}
			if key := u.Query().Get("resourcekey"); key != "" {
				file.Set("resourcekey", key)
			}
			return "https://drive.google.com/uc?" + file.Encode(), true
		}
	case host == "dropbox.com", host == "www.dropbox.com":
		parts := strings.Split(u.RawQuery, "&")
		for i, part := range parts {
			if part == "dl=0" {
				parts[i] = "dl=1"
				u.RawQuery = strings.Join(parts, "&")
				return u.String(), true
			}
		}
	}
	return link, false
}

// driveFile matches the path of the page that shows a file on Google Drive.
var driveFile = regexp.MustCompile(`^/file/(?:u/\d+/)?d/([A-Za-z0-9_-]{10,})(?:/(?:view|edit|preview)?)?$`)

// WithoutGaps returns the non-empty addresses.
func WithoutGaps(pictures []string) []string {
	given := []string{}
	for _, address := range pictures {
		if address != "" {
			given = append(given, address)
		}
	}
	return given
}
