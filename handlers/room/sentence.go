package room

// What guests read who may not do something.
const (
	passwordFirst = "Enter the password of this link first."
	notAllowed    = "This link is for watching. Ask for another one if you want to answer."
	tooManyNotes  = "There are as many notes here as there can be. Ask for some to be deleted."
	tooManyGuests = "Too many people write on this link. Ask for another one."
	guestsDecide  = "Guests decide here. You’re signed in to the team."
	onOrOff       = "Do you want emails, or none? Use the buttons on this page."
	fromMail      = "Open this page from one of our emails to turn them on."
	emailMany     = "This address got several emails lately. Try again in an hour, or leave it empty."
	noDownload    = "Downloads are off for this link. Ask for the file if you need it."
)
