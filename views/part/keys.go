package part

// keysPath is the path of the page that lists the keyboard shortcuts, for browsers
// without JavaScript.
const keysPath = "/keys"

// A keyGroup holds the keyboard shortcuts that work in one place.
type keyGroup struct {
	Where string
	Keys  []shortcut
}

// A shortcut names one or several keys and their common effect.
type shortcut struct {
	Keys []string
	What string
}

// shortcuts lists all keyboard shortcuts. A script that handles another key must add a
// line here, because users learn of keys only from this list.
func shortcuts() []keyGroup {
	return []keyGroup{
		{"On every page", []shortcut{
			{[]string{"c"}, "Make a video"},
			{[]string{"g"}, "Open the gallery"},
			{[]string{"Ctrl + K"}, "Find anything"},
			{[]string{"/"}, "Search the gallery"},
			{[]string{"?"}, "Show this list"},
		}},
		{"In the form", []shortcut{
			{[]string{"Ctrl + Enter"}, "Make the video"},
		}},
		{"In the gallery", []shortcut{
			{[]string{"←", "→", "↑", "↓"}, "Go from video to video"},
			{[]string{"j", "k"}, "Go to the next or the previous video"},
			{[]string{"Home", "End"}, "Go to the first or the last video"},
			{[]string{"Space"}, "Play or pause it"},
			{[]string{"Enter"}, "Open it"},
			{[]string{"s"}, "Give it a star, or take the star away"},
			{[]string{"x"}, "Select it"},
			{[]string{"Shift + ←", "→"}, "Select the next ones as well"},
			{[]string{"b"}, "Go to the bar for the selected ones"},
			{[]string{"Esc"}, "Select none"},
		}},
		{"On the page of a video", []shortcut{
			{[]string{"←", "→"}, "Go to the previous or the next video, outside the player"},
			{[]string{"k", "j"}, "The same, from anywhere on the page"},
			{[]string{"s"}, "Give it a star, or take the star away"},
			{[]string{"Esc"}, "Close it and go back to the gallery"},
		}},
		{"In the player", []shortcut{
			{[]string{"Space"}, "Play or pause"},
			{[]string{"←", "→"}, "One frame back or forward"},
			{[]string{",", "."}, "The same, from anywhere on the page"},
			{[]string{"Shift + ←", "→"}, "One second back or forward"},
			{[]string{"Home", "End"}, "Go to the first or the last frame"},
			{[]string{"Page Up", "Page Down"}, "Go to the scene before or after, in a storyline"},
			{[]string{"l"}, "Loop on or off"},
			{[]string{"m"}, "Sound on or off"},
			{[]string{"f"}, "Full screen on or off"},
		}},
		{"On the strip of a storyline", []shortcut{
			{[]string{"←", "→"}, "Go to the scene before or after"},
			{[]string{"Alt + ←", "→"}, "Move the scene"},
			{[]string{"i", "o"}, "Start or end the scene here"},
			{[]string{"Del"}, "Remove the scene"},
		}},
	}
}
