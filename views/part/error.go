package part

// An ErrorPage holds what the page of an error says.
type ErrorPage struct {
	Message string
	ID      string // of the request, so that the log can be searched; may be empty
}
