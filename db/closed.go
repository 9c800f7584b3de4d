package db

// Closed counts what was open until a restore closed it: access that may have
// been taken back after the backup was made.
type Closed struct {
	Sessions int `json:"sessions"`
	Invites  int `json:"invites"`
	Resets   int `json:"resets"`
	Shares   int `json:"shares"`
}
