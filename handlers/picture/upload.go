package picture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/picture"
)

// MaxUpload limits a form with pictures, in bytes. It exceeds the limits of its
// pictures, so that a slightly larger picture can still be answered with a message.
const MaxUpload = 100 << 20

// An Upload is a file that was submitted with the form, and the note about it.
type Upload struct {
	Field string // the field to put it into; empty for the first empty one
	Note  createview.PictureNote
}

// Receive reads the form's fields and files, and stores each file as it arrives, which may
// take a while.
func (h *Pictures) Receive(w http.ResponseWriter, r *http.Request) (url.Values, []Upload, error) {
	h.uploads.Patient(w, r)
	parts, err := r.MultipartReader()
	if err != nil { // the form has no files
		r.Body = http.MaxBytesReader(w, r.Body, site.MaxForm)
		values, err := site.FormValues(r)
		return values, nil, err
	}
	// Wait before reading the body, so that the wait does not count as a slow upload.
	end, err := h.uploads.StartSending(w, r, site.Me(r).ID)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	values, came, left := url.Values{}, []Upload(nil), int64(site.MaxForm)
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return values, came, nil
		case err != nil:
			return nil, nil, site.CutOff(err)
		case part.FileName() != "" && len(came) == MaxFields:
			return nil, nil, &web.Error{Status: http.StatusRequestEntityTooLarge, Message: createview.TooManyFiles}
		case part.FileName() != "":
			note, err := h.keep(r.Context(), site.Me(r), part.FileName(), part, largest(r))
			if err != nil {
				return nil, nil, err
			}
			came = append(came, Upload{strings.TrimPrefix(part.FormName(), "file."), note})
		default:
			text, err := io.ReadAll(http.MaxBytesReader(w, part, left))
			if err != nil {
				return nil, nil, site.CutOff(err)
			}
			left -= int64(len(text) + len(part.FormName()) + fieldCosts)
			if left < 0 {
				return nil, nil, &http.MaxBytesError{Limit: site.MaxForm}
			}
			values.Add(part.FormName(), string(text))
		}
	}
}

// fieldCosts is the approximate overhead in bytes of a field, besides its name and
// text.
const fieldCosts = 64

// largest returns the maximum size in bytes of a picture in the request.
func largest(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return picture.MaxBytes
	}
	return min(r.ContentLength, picture.MaxBytes)
}

// keep stores the picture without its metadata. An unusable file is not an
// error but a note. The picture is received before one of the few slots for checking
// pictures is taken, so that a slow connection delays nobody else.
func (h *Pictures) keep(ctx context.Context, u db.User, name string, from io.Reader, most int64) (createview.PictureNote, error) {
	giveBack, refusal, err := h.reserve(ctx, u.ID, most)
	if err != nil || refusal != "" {
		return createview.BadPicture(refusal), err
	}
	defer giveBack()
	file, err := h.media.Scratch(ctx, from, picture.MaxBytes+1)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return createview.BadPicture(createview.StorageFull), nil
	case isOurs(err):
		return createview.PictureNote{}, err
	case err != nil:
		return createview.PictureNote{}, site.CutOff(err)
	}
	defer file.Close()
	p := ordering.Picture{UserID: u.ID, Name: naming.Short(site.Clip(name, 1000), 100), CreatedAt: db.Now()}
	note, err := h.clean(ctx, &p, file)
	if errors.Is(err, syscall.ENOSPC) {
		return createview.BadPicture(createview.StorageFull), nil
	}
	if err != nil || note.Bad {
		return note, err
	}
	err = h.record(ctx, &p)
	if errors.Is(err, db.ErrFull) { // other uploads were stored meanwhile
		return createview.BadPicture(createview.AlbumFull), nil
	}
	if err != nil {
		return createview.PictureNote{}, err
	}
	return h.Judge(ctx, u.ID, h.Address(p)), nil
}

// isOurs reports whether the error concerns a file on this machine, and not the
// sender.
func isOurs(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file)
}

// clean removes the metadata of the received picture and stores it under its
// hash.
func (h *Pictures) clean(ctx context.Context, p *ordering.Picture, file io.Reader) (createview.PictureNote, error) {
	leave, err := h.uploads.Judges.Take(ctx, site.PersonKey(p.UserID, site.EachJudged))
	if err != nil {
		return createview.PictureNote{}, err
	}
	defer leave()
	cleaned, info, err := picture.Clean(file)
	if found := picture.FindingOf(info, err); found.Fault == picture.Unreachable {
		return createview.PictureNote{}, err
	} else if err != nil {
		return createview.NoteOf(found, false), nil
	}
	p.Type, p.Width, p.Height = info.Type, info.Width, info.Height
	p.Hash, p.Size, err = h.media.Put(ctx, bytes.NewReader(cleaned), picture.MaxBytes+1<<10)
	return createview.PictureNote{}, err
}

// An Added is a picture that can be used.
type Added struct {
	Address       string // to be sent with a video
	Width, Height int    // in pixels; 0 if not known
}

// ErrPicture is the error of a picture that cannot be used; its text says why.
type ErrPicture string

func (e ErrPicture) Error() string { return string(e) }

// ErrUnchecked is the error of a picture that was not looked at, because many others were.
type ErrUnchecked struct {
	Text string
	Wait time.Duration // after which to try again
}

func (e ErrUnchecked) Error() string { return e.Text }

// BeginUpload waits until the person may send a picture. The caller must call end afterwards.
func (h *Pictures) BeginUpload(w http.ResponseWriter, r *http.Request, u db.User) (end func(), err error) {
	h.uploads.Patient(w, r)
	return h.uploads.StartSending(w, r, u.ID)
}

// Add stores the picture for the person, whose program adds it, without its metadata.
func (h *Pictures) Add(r *http.Request, u db.User, name string, from io.Reader) (Added, error) {
	note, err := h.keep(r.Context(), u, name, from, largest(r))
	return added(note, err)
}

// Link checks the picture at the address, which is on another site or was added before.
func (h *Pictures) Link(ctx context.Context, u db.User, address string) (Added, error) {
	address = strings.TrimSpace(address)
	sentence := AddressSentence(address)
	if address == "" {
		sentence = createview.AddressOdd
	}
	if sentence != "" {
		return Added{}, ErrPicture(sentence)
	}
	settled := []string{address}
	if err := h.Settle(ctx, settled); err != nil {
		return Added{}, err
	}
	note := h.Judge(ctx, u.ID, settled[0])
	if note.Bad && !h.Refuses(note) {
		return Added{Address: settled[0]}, nil
	}
	return added(note, nil)
}

func added(note createview.PictureNote, err error) (Added, error) {
	switch {
	case err != nil:
		return Added{}, err
	case note.Unchecked:
		return Added{}, ErrUnchecked{note.Text, note.Wait}
	case note.Bad && note.Text != "":
		return Added{}, ErrPicture(note.Text)
	}
	return Added{note.Address, note.Width, note.Height}, nil
}

// Adopt returns the picture at the address as it is kept here, with a new address of its own,
// or a sentence why it cannot be kept. One on another site is copied.
func (h *Pictures) Adopt(ctx context.Context, u db.User, address string) (p ordering.Picture, sentence string, err error) {
	if p, sentence, err = h.kept(ctx, u, address); err != nil || sentence != "" {
		return p, sentence, err
	}
	p.Token = secrets.NewToken()
	p.Sealed = h.vault.SealToken(p.UserID, p.Token)
	return p, "", nil
}

// kept returns the picture at the address as it is kept here, or a sentence why it cannot be.
func (h *Pictures) kept(ctx context.Context, u db.User, address string) (p ordering.Picture, sentence string, err error) {
	if token := ordering.PictureToken(address); token != "" {
		p, err = h.stored.Picture(ctx, token)
		if !errors.Is(err, db.ErrNotFound) {
			return p, "", err
		}
	}
	return h.copied(ctx, u, address)
}

// copied fetches the picture from another site, and stores it like an upload.
func (h *Pictures) copied(ctx context.Context, u db.User, address string) (p ordering.Picture, sentence string, err error) {
	giveBack, refusal, err := h.reserve(ctx, u.ID, picture.MaxBytes)
	if err != nil || refusal != "" {
		return p, refusal, err
	}
	defer giveBack()
	var whole *media.Scratch
	found, err := h.Checker.Fetch(ctx, strconv.FormatInt(u.ID, 10), address, func(r io.Reader) (err error) {
		whole, err = h.media.Scratch(ctx, r, picture.MaxBytes+1)
		return err
	})
	if whole != nil {
		defer whole.Close()
	}
	if err != nil {
		return p, "", err
	}
	if found.Fault != picture.Fine {
		return p, createview.NoteOf(found, true).Text, nil
	}
	p = ordering.Picture{UserID: u.ID, Name: nameIn(address), CreatedAt: db.Now()}
	note, err := h.clean(ctx, &p, whole)
	if err != nil || note.Bad {
		return p, note.Text, err
	}
	err = h.record(ctx, &p)
	if errors.Is(err, db.ErrFull) {
		return p, createview.AlbumFull, nil
	}
	return p, "", err
}

// nameIn returns the name of the file at the address.
func nameIn(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return naming.Short(path.Base(u.Path), 100)
}

// MaxFields limits the number of fields with the same name in a form.
const MaxFields = 20

// reservations count the space reserved for uploads that this process is receiving, so
// that simultaneous uploads do not all count on the same free space, and nobody sends
// a file in vain. The transaction that records a picture makes the final decision.
type reservations struct {
	mu       sync.Mutex
	bytes    int64
	byPerson map[int64]ordering.Quota
}

// reserve reserves space for one picture of the user. If there is none, refusal says
// why. The caller must call giveBack once the picture is recorded.
func (h *Pictures) reserve(ctx context.Context, userID, bytes int64) (giveBack func(), refusal string, err error) {
	h.reserved.mu.Lock()
	defer h.reserved.mu.Unlock()
	if h.space != nil {
		space, err := h.space(ctx)
		if err != nil {
			return nil, "", err
		}
		if bytes+h.reserved.bytes > space.ForUploads() {
			return nil, createview.StorageFull, nil
		}
	}
	n, used, err := h.stored.PictureUse(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	mine := h.reserved.byPerson[userID]
	if !h.Quota.Fits(n+mine.Pictures+1, used+mine.Bytes+bytes) {
		return nil, createview.AlbumFull, nil
	}
	h.reserved.change(userID, 1, bytes)
	return sync.OnceFunc(func() {
		h.reserved.mu.Lock()
		defer h.reserved.mu.Unlock()
		h.reserved.change(userID, -1, -bytes)
	}), "", nil
}

// change adds to the user's reservation. The caller must hold b.mu.
func (b *reservations) change(userID int64, pictures int, bytes int64) {
	b.bytes += bytes
	mine := b.byPerson[userID]
	mine.Pictures, mine.Bytes = mine.Pictures+pictures, mine.Bytes+bytes
	b.byPerson[userID] = mine
	if mine == (ordering.Quota{}) {
		delete(b.byPerson, userID)
	}
}
