package story

import (
	"fmt"
)

func sceneFileMissing(scene int, name string) string {
	return fmt.Sprintf("The file of scene %d is missing: %s\r\n", scene, name)
}
