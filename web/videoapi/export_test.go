package videoapi

// ReadBody reads an answer, shortened to so many bytes.
var ReadBody = readBody
