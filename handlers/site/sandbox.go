package site

import "time"

// SandboxCredits is the number of credits of a new sandbox account.
const SandboxCredits = 1000

// The sandbox draws most videos within this time, depending on the machine and on the
// length and resolution of the video.
const (
	sandboxSoon = 5 * time.Second
	sandboxLate = 30 * time.Second
)
