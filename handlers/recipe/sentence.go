package recipe

// What pages say after something was done. What keeps it from being done, and stands
// beside a field, is in views/create.
const (
	recipeSaved    = "Saved. The whole team can use it now."
	recipeRestored = "The recipe is back."
)
