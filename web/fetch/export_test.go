package fetch

// Guarded makes the transport for addresses that are not trusted.
var Guarded = guarded
