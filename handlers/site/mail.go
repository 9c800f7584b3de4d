package site

import (
	"dailies/db"
	"dailies/db/outbox"
)

// SealedMail returns a mail with a link, storing the link's token encrypted.
func (s *MailSealer) SealedMail(kind outbox.MailKind, userID int64, token string) outbox.Mail {
	m := outbox.NewMail(kind, userID, s.now())
	m.Sealed = s.vault.SealMail(m.Name, token)
	return m
}

// Invitation returns the mail that invites an address to join with the token.
func (s *MailSealer) Invitation(by db.User, address, token string) outbox.Mail {
	m := s.SealedMail(outbox.MailInvite, 0, token)
	m.Address, m.Details.By = address, by.Name
	return m
}
