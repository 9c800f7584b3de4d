package views

// The tests look at the videos of the storybook.
const StoryPrompt = storyPrompt

var (
	StoryNow   = storyNow
	StoryTask  = storyTask
	StoryKept  = storyKept
	StoryCard  = storyCard
	StoryForm  = storyForm
	StoryShelf = storyShelf
	StoryUsual = usually
)
