package fetch

// Guarded returns the transport for hosts that are not trusted.
var Guarded = guarded
