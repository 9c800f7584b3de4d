package watch

// Line is line.
func Line(text string) string { return line(text) }
