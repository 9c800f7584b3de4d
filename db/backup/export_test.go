package backup

// RestoreInSteps is Restore, which names each step to reached when it is done.
var RestoreInSteps = restore
