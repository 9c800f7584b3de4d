package db

import "time"

// A Recipe is a setup that the team uses again: a prompt with named blanks
// such as {{product}}, a model that stays, and what one video may cost.
type Recipe struct {
	ID        int64
	Name      string
	Note      string
	Scene     string
	Model     string
	Prompt    string // with blanks
	Provider  string
	Pictures  []string // addresses, or a blank each
	Options   Options
	Ceiling   Credits // for one video; not known is no ceiling
	TaskID    int64   // it was saved from; 0 for none
	CreatedBy int64
	MakerName string // filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
}
