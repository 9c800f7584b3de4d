package part

// Unwritten says that a press made nothing, because nothing can be written down.
func Unwritten() string {
	return "Dailies cannot write anything down just now, so nothing was sent and nothing was paid. What you typed is still here: please try again in a moment. If it stays like this, tell whoever runs Dailies that the disk may be full."
}

// WithoutKey says that a form was not sent for want of a key, and whether what
// was typed will be there when the person comes back.
func WithoutKey(kept bool) string {
	const missing = "There is no API key yet, so nothing was sent. "
	if !kept {
		return missing + "What you typed could not be kept: please open the settings in another tab, add your key, then press the button again."
	}
	return missing + "Add your key in the settings; what you typed is kept here."
}
