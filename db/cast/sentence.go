package cast

// Sentences about fields that are not valid.
const (
	NoHandle      = "Choose a handle, such as anna."
	SpaceInHandle = "A handle is one word: put a hyphen in place of the space."
	BadHandle     = "Only letters, digits, hyphens and underscores can be in a handle."
	HandleEnds    = "A handle begins and ends with a letter or a digit."
	ShortHandle   = "A handle has at least 2 characters."
	LongHandle    = "A handle has at most 30 characters."
	TakenHandle   = "Another one in the cast has this handle."

	NoName       = "Give it a name."
	LongName     = "A name has at most 60 characters."
	NoKind       = "Choose what it is."
	LongLook     = "A look has at most 200 characters."
	NoPicture    = "Add at least one picture."
	ManyPictures = "A cast member has at most three pictures."

	NoConsentBy = "Say who agreed."
	LongConsent = "This name has more than 100 characters."
	NoConsentOn = "Say on which date they agreed."
	BadDate     = "Write the date like 2026-10-03."
	LateConsent = "This date is still to come."
)

// MixedHandle is a hint about a handle for which MixesAlike holds.
const MixedHandle = "This handle mixes alphabets with letters that look alike. Colleagues who type it may not find it."
