package backup

// RestoreInSteps is Restore, but calls reached with the name of each step that is
// done.
var RestoreInSteps = restore
