package handlers

// Bells returns how many presses wait for their outcome.
func Bells(a *App) int { return a.create.Press.Waiting() }
