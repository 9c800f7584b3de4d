package record

import (
	"encoding/json"

	"dailies/db/review"
	"dailies/db/spending"
)

// A Note is how programs see a note on a video, or a reply to one.
type Note struct {
	ID        int64           `json:"id"`
	Video     int64           `json:"video_id"`
	Parent    *int64          `json:"parent"` // the note that it replies to
	Author    Author          `json:"author"`
	At        *int64          `json:"at"`    // milliseconds from the beginning; null for no moment
	Until     *int64          `json:"until"` // the end of a span
	Body      string          `json:"body"`
	Mark      json.RawMessage `json:"mark"`     // as review.ParseMark reads it
	Verdict   *review.Answer  `json:"verdict"`  // what the guest answers with it
	Internal  bool            `json:"internal"` // only the team sees it
	CreatedAt string          `json:"created_at"`
	ChangedAt *string         `json:"changed_at"`
	DoneAt    *string         `json:"done_at"`
	DeletedAt *string         `json:"deleted_at"` // when its author deleted it, if it stays for its replies
}

// An Author is a person of the team, or a guest of a link with the name that they gave.
type Author struct {
	Name  string `json:"name"`
	Guest bool   `json:"guest"`
}

// NoteOf returns the note.
func NoteOf(n review.Note) Note {
	note := Note{
		ID: n.ID, Video: n.TaskID, Parent: number(n.ParentID), Author: Author{n.Author.Name, n.Author.IsGuest()}, Until: number(n.Until),
		Body: n.Body,
		Mark: json.RawMessage("null"), Internal: n.Internal, CreatedAt: Time(n.CreatedAt), ChangedAt: TimeOr(n.ChangedAt),
		DoneAt: TimeOr(n.DoneAt), DeletedAt: TimeOr(n.DeletedAt),
	}
	if n.IsTimed() {
		note.At = &n.At
	}
	if n.IsAnswer() {
		note.Verdict = &n.Answer
	}
	if mark := n.Mark.JSON(); mark != "" {
		note.Mark = json.RawMessage(mark)
	}
	return note
}

// number is null for 0.
func number(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// A Verdict is how programs see what a guest has decided about a video.
type Verdict struct {
	Video   int64         `json:"video_id"`
	Author  Author        `json:"author"`
	Verdict review.Answer `json:"verdict"` // approved or changes
	Body    string        `json:"body"`
	GivenAt string        `json:"given_at"`
}

// VerdictOf returns the guest's decision.
func VerdictOf(v review.Verdict) Verdict {
	return Verdict{v.TaskID, Author{v.Guest.Name, true}, v.Answer, v.Body, Time(v.ChangedAt)}
}

// A CreditRequest is how programs see a person's request to spend more than their limit.
type CreditRequest struct {
	ID        int64   `json:"id"`
	By        Person  `json:"by"`
	Credits   float64 `json:"credits"`
	Unpriced  bool    `json:"unpriced"` // it is for videos whose price is unknown
	Sentence  string  `json:"sentence"`
	CreatedAt string  `json:"created_at"`
}

// A Person is one of the team.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// CreditRequestOf returns the request.
func CreditRequestOf(a spending.CreditRequest) CreditRequest {
	return CreditRequest{a.ID, Person{a.UserID, a.UserName}, a.Credits, a.Unpriced, a.Sentence, Time(a.At)}
}
