package part

// An ErrorPage says in plain words what is wrong and where to go.
type ErrorPage struct {
	Message string
	ID      string // of the request, so that the log can be searched; may be empty
}
