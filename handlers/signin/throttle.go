package signin

import (
	"fmt"
	"time"
)

// knownPause is how far the pauses between wrong codes grow in a browser that the owner
// has used: far enough against guessing, and not so far that they are locked out.
const knownPause = 15 * time.Minute

// strangersCodes and knownCodes are the names under which wrong codes for an account are
// counted, from strangers and from browsers that have signed in with the password.
func strangersCodes(userID int64) string { return fmt.Sprintf("codes of %d", userID) }
func knownCodes(userID int64) string {
	return fmt.Sprintf("%s by known browsers", strangersCodes(userID))
}
