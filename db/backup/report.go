package backup

import (
	"errors"
	"fmt"
	"io"

	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/signin"
	"dailies/db/team"
)

var (
	// ErrIncomplete says that a backup was made without some files, because they
	// were missing or damaged in the data folder.
	ErrIncomplete = errors.New("the backup is made, but the data folder lacks files; see dailies check")

	// ErrTrouble says that a check found a problem.
	ErrTrouble = errors.New("something is wrong with the data folder")
)

func (a About) report(out io.Writer, file string, from *media.Store) error {
	_, err := fmt.Fprintf(out, `%s holds %s: %s, %s.

API keys are in it sealed only. What opens them is not in it: keep a copy of the
file "secret" of the data folder somewhere else, or what -secret says. Without
it, what is restored starts only with -forget-sealed, and everybody enters their key again.
`, file, format.Plural(a.Videos, "%s video", "%s videos"), format.Plural(a.Files, "%s file", "%s files"), format.Bytes(a.Bytes))
	if err != nil || len(a.Missing) == 0 {
		return err
	}
	for _, hash := range a.Missing {
		fmt.Fprintf(out, "missing or damaged: %s\n", from.Where(media.Path(hash)))
	}
	return ErrIncomplete
}

// restored reports what was restored and what to do next.
func (a About) restored(out io.Writer, dir string, done journal) error {
	_, err := fmt.Fprintf(out, `%s is restored as it was on %s: %s, %s, %s.

API keys open only with the old secret: put the file "secret" of the old data
folder into %s before the first start, or start with the same -secret. Without it,
start with -forget-sealed: then everybody enters their key again, and nobody can be asked for one-time codes: whoever
has them is let in by an admin, on that person's page, or with
dailies password EMAIL -without-second-factor.

%s`, dir, a.MadeAt.Local().Format("2 January 2006, 15:04"), format.Plural(a.Videos, "%s video", "%s videos"), format.Plural(a.Files, "%s file", "%s files"), format.Bytes(a.Bytes), dir,
		closed(done.Closed))
	if err == nil {
		_, err = io.WriteString(out, unsure(done.Unsure))
	}
	if len(a.Missing) > 0 && err == nil {
		_, err = fmt.Fprintf(out, "\nMissing already when the backup was made: %s. dailies check names them.\n", format.Plural(len(a.Missing), "%s file", "%s files"))
	}
	return err
}

// closed describes which access was closed, and what an admin should check because
// later changes of it are lost.
func closed(c signin.Closed) string {
	text := fmt.Sprintf(`What was taken back since then must not be open again. Closed: %s,
%s, %s, %s, %s, %s,
%s, with the addresses of files that programs got with them.
Everybody signs in again, with the password of that time; make new links for
what is still to be shared, and new recovery codes in Settings.
`, format.Plural(c.Sessions, "%s session", "%s sessions"), format.Plural(c.Invites, "%s unused join link", "%s unused join links"), format.Plural(c.Resets, "%s password link", "%s password links"),
		format.Plural(c.Shares, "%s share link", "%s share links"), format.Plural(c.Recovery, "%s recovery code", "%s recovery codes"), format.Plural(c.Identities, "%s connected account", "%s connected accounts"),
		format.Plural(c.Tokens, "%s token of programs", "%s tokens of programs"))
	if c.Webhooks > 0 {
		text += fmt.Sprintf("Nothing is sent to %s until an admin confirms it on %s.\n%s that waited may have arrived since, and will not be sent.\n",
			format.Plural(c.Webhooks, "%s webhook", "%s webhooks"), team.ServicePage.Where(), format.Plural(c.Deliveries, "%s delivery", "%s deliveries"))
	}
	if len(c.Services) > 0 {
		text += fmt.Sprintf("Nothing is sent to %s, and no video there is asked about, until\nan admin confirms it on %s, or -api-url names it.\n", format.List(c.Services), team.ServicePage.Where())
	}
	if c.Passkeys > 0 {
		text += fmt.Sprintf("%s: each signs in alone again once it was used after the password.\n", format.Plural(c.Passkeys, "%s passkey", "%s passkeys"))
	}
	return text + fmt.Sprintf(`
Look at these before people come back, because what was changed since then is as
it was before:
- %s: %s, those of people who have left since included. Admins: %s.
- %s and %s: the rules, roles, keys and limits of that time.
- Whoever has changed a password, or has lost a phone or a passkey, since then
  changes it, or deletes it, again; so do those who have removed a webhook, a key,
  or an uploaded picture. Programs need new tokens.
`, team.PeoplePage.Where(), format.Plural(c.Open, "%s open account", "%s open accounts"), format.List(c.Admins), team.SecurityPage.Where(), team.SpendingPage.Where())
}

// unsure describes the videos that may have been sent since.
func unsure(videos int) string {
	if videos == 0 {
		return ""
	}
	return fmt.Sprintf(`
%s waited to be sent at that time and may have been sent since. None is
sent again by itself: each asks its maker.
`, format.Plural(videos, "%s video", "%s videos"))
}
