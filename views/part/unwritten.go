package part

// Unwritten says that nothing was sent, because the database takes no writes.
func Unwritten() string {
	return "Dailies cannot write anything down just now, so nothing was sent and nothing was paid. What you typed is still here: please try again in a moment. If it stays like this, tell whoever runs Dailies that the disk may be full."
}

// WithoutKey says that the form was not sent because there is no API key, and
// whether what was typed was kept.
func WithoutKey(kept bool) string {
	const missing = "There is no API key yet, so nothing was sent. "
	if !kept {
		return missing + "What you typed could not be kept: please open the settings in another tab, add your key, then press the button again."
	}
	return missing + "Add your key in the settings; what you typed is kept here."
}
