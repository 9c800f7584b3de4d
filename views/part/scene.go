package part

import (
	"cmp"

	"dailies/web/videoapi"
)

// SceneName returns the scene's name on pages.
func SceneName(s videoapi.Scene) string { return cmp.Or(sceneNames[s], string(s)) }

var sceneNames = map[videoapi.Scene]string{
	videoapi.TextToVideo:      "Words",
	videoapi.ImageToVideo:     "Picture",
	videoapi.FramesToVideo:    "Start and end",
	videoapi.ReferenceToVideo: "References",
}
