// Dailies
