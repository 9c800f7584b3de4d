package site

import (
	"context"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/audit"
)

// A Journal logs what people do to accounts, with the address from which they do it.
type Journal struct {
	log     *slog.Logger
	network *Network
}

// Info logs what the request has done.
func (j *Journal) Info(r *http.Request, what string, args ...any) {
	j.log.Info(what, append(args, "address", j.network.Address(r))...)
}

// Warn logs what the request has tried in vain.
func (j *Journal) Warn(r *http.Request, what string, args ...any) {
	j.log.Warn(what, append(args, "address", j.network.Address(r))...)
}

// Error logs an error that did not keep the request from being answered.
func (j *Journal) Error(what string, args ...any) { j.log.Error(what, args...) }

// As returns the request's context for what the user does with it, for the audit log.
func (j *Journal) As(r *http.Request, u db.User) context.Context {
	return audit.Acting(r.Context(), audit.Actor{UserID: u.ID, Name: u.Name, Address: j.network.Address(r)})
}
