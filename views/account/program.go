package account

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/views/input"
	"dailies/views/part"
)

// A ProgramsPage holds the tokens of the viewer's programs or, for admins, of everybody's.
type ProgramsPage struct {
	Tokens    []program.Token
	NewSecret string // a new token, shown in full only once
	Origin    string // where programs reach the API, such as https://dailies.example.com
	Form      *ProgramForm
	OfTeam    bool // everybody's tokens, without a form
}

// A ProgramForm is the form for a new token.
type ProgramForm struct {
	Name input.Text
	May  input.Choice
	Days input.Text
	Cap  input.Credits
}

// NewProgramForm returns the form. Those who may only watch get tokens that may only look.
func NewProgramForm(makes bool) *ProgramForm {
	f := &ProgramForm{
		Name: input.Text{
			Field: input.Field{
				Name: "name", Label: "What is it for?", Focus: input.OnError,
				Rules: input.Rules{input.Required(noProgramName), input.Max(program.MaxName, longProgramName).OnSubmit()},
			},
			Sample: "Shop importer",
		},
		May: input.Choice{
			Field: input.Field{Name: "may", Label: "It may", Value: string(program.Look), Rules: input.Offered(noPermission)},
			Options: []input.Option{
				{Value: string(program.Look), Label: "Look", Hint: "see and download videos"},
			},
		},
		Days: input.Text{
			Field: input.Field{
				Name: "days", Label: "Days until it ends", Value: strconv.Itoa(program.UsualDays), Focus: input.OnError,
				Rules: input.Rules{input.Valid(fmt.Sprintf("required,between=1 %d", program.MaxDays), wrongDays).OnSubmit()},
			},
			Keyboard: "numeric", Class: "short", MaxLength: 3,
		},
		Cap: input.CreditsIn("cap", "Credits a month", db.Credits{}, input.Valid(fmt.Sprintf("credits=%g", program.MaxCap), wrongCap)),
	}
	f.Cap.Hint, f.Cap.Sample, f.Cap.Focus = "Never more than your own limit", "No limit of its own", input.OnError
	if makes {
		f.May.Value = string(program.Make)
		f.May.Options = append(f.May.Options,
			input.Option{Value: string(program.Make), Label: "Make videos", Hint: "also add pictures, and name its videos"},
			input.Option{Value: string(program.Change), Label: "Change things", Hint: "also delete videos, and change webhooks"})
	}
	return f
}

// The sentences about the form.
const (
	noProgramName   = "Say what it’s for."
	longProgramName = "60 letters at most."
	noPermission    = "Choose what it may do."
	wrongDays       = "Between 1 and 365 days."
	wrongCap        = "An amount from 0 to 1,000,000."
)

// made returns the token that was made just now.
func (p ProgramsPage) made() program.Token {
	for _, t := range p.Tokens {
		if t.Start == program.Start(p.NewSecret) {
			return t
		}
	}
	return program.Token{}
}

// tryIt returns a command that works as it stands with the new token.
func (p ProgramsPage) tryIt() string {
	if !p.made().May.Includes(program.Make) {
		return fmt.Sprintf(`curl %s/api/v1/videos -H "Authorization: Bearer %s"`, p.Origin, p.NewSecret)
	}
	return fmt.Sprintf(`curl %s/api/v1/videos \
  -H "Authorization: Bearer %s" \
  -H "Content-Type: application/json" -H "Idempotency-Key: first" \
  -d '{"scene": "text-to-video", "model": "seedance-2.0",
       "prompt": "A paper boat leaves the harbour at dawn",
       "options": {"duration": 5, "resolution": "720p"}, "max_credits": 30}'`, p.Origin, p.NewSecret)
}

// tryItDoes says what the command does.
func (p ProgramsPage) tryItDoes() string {
	if !p.made().May.Includes(program.Make) {
		return "Lists videos."
	}
	return "Makes one video, 30 credits."
}

// programRights says what the token may do, and until when.
func programRights(t program.Token) string {
	until := part.Date(t.EndsAt)
	switch t.May {
	case program.Make:
		return fmt.Sprintf("Makes videos until %s.", until)
	case program.Change:
		return fmt.Sprintf("Makes and changes videos until %s.", until)
	}
	return fmt.Sprintf("Looks only, until %s.", until)
}

// programUse says when the token was last used.
func programUse(t program.Token, now time.Time) string {
	if t.UsedAt.IsZero() {
		return "Not used yet."
	}
	return fmt.Sprintf("Used %s from %s.", part.Ago(t.UsedAt, now), t.UsedFrom)
}

func programStart(t program.Token) string { return fmt.Sprintf("%s…", t.Start) }

func programPath(t program.Token, action string) string {
	return fmt.Sprintf("/settings/programs/%d/%s", t.ID, action)
}
