package backup

import (
	"fmt"
	"strings"

	"dailies/db"
	"dailies/db/team"
)

// fileName returns the file's name: the video's ID, a suffix for this file of it,
// and the extension.
func fileName(m db.Media) string {
	name := fmt.Sprint(m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	if m.Kind != db.Video {
		name += "-" + string(m.Kind)
	}
	return name + "." + ending(m.Type)
}

// ending returns the file extension for the MIME type.
func ending(kind string) string {
	for _, known := range []struct{ kind, ending string }{
		{"video/webm", "webm"}, {"video/mp4", "mp4"}, {"video/quicktime", "mov"}, {"video/x-matroska", "mkv"}, {"video/mp2t", "ts"},
		{"image/jpeg", "jpg"}, {"image/png", "png"}, {"image/webp", "webp"}, {"image/gif", "gif"},
	} {
		if kind == known.kind {
			return known.ending
		}
	}
	return "bin"
}

// readme returns a text for somebody who finds the file but does not have the program.
func (w *writer) readme() string {
	text := readme
	if w.beside != nil {
		text = readmeBeside
	}
	return strings.ReplaceAll(text, "{service}", team.ServicePage.Where())
}

var readmeBeside = strings.TrimLeft(`
This is a backup of a Dailies.

    dailies restore FILE -data FOLDER

makes a data folder of it, and needs the folder media beside this file. In videos/, a
.json file says how each video was made, and under which name it lies in media/.
"sha256sum -c SHA256SUMS", in the folder of this file and with everything that is in it
extracted there, checks all files.

After a restore nothing is sent to a video service until an admin confirms it on
{service}, or -api-url names it; practice mode works at once.

The secret that opens the API keys is not in here. Put the file "secret" of the
old data folder into the new one, or let everybody enter their key again.
`, "\n")

var readme = strings.TrimLeft(`
This is a backup of a Dailies.

    dailies restore FILE -data FOLDER

makes a data folder of it. The videos lie in videos/, each beside a .json file
that says how it was made; pictures that people uploaded lie in pictures/.
"sha256sum -c SHA256SUMS" checks all files.

After a restore nothing is sent to a video service until an admin confirms it on
{service}, or -api-url names it; practice mode works at once.

The secret that opens the API keys is not in here. Put the file "secret" of the
old data folder into the new one, or let everybody enter their key again.
`, "\n")
