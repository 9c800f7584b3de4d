package part

import "dailies/web/videoapi"

// SceneName returns the scene's name on pages.
func SceneName(s videoapi.Scene) string {
	switch s {
	case videoapi.TextToVideo:
		return "Text"
	case videoapi.ImageToVideo:
		return "Image"
	case videoapi.FramesToVideo:
		return "Start and end"
	case videoapi.ReferenceToVideo:
		return "References"
	}
	return string(s)
}
