package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
)

// AddSession adds the session and sets its ID.
func (s *Store) AddSession(ctx context.Context, session *db.Session) error {
	return s.write(ctx, func(tx *sql.Tx) error { return addSession(ctx, tx, session) })
}

func addSession(ctx context.Context, tx *sql.Tx, session *db.Session) error {
	err := tx.QueryRowContext(ctx, `
		INSERT INTO sessions (user_id, token, agent, created_at, seen_at, expires_at, for_host)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		RETURNING id`,
		session.UserID, digest(session.Token), session.Agent,
		instant(session.CreatedAt), instant(session.SeenAt), instant(session.ExpiresAt), session.ForHost,
	).Scan(&session.ID)
	return about("session of "+user(session.UserID), err)
}

// Session returns the session with the token and its account. One that has
// expired is db.ErrNotFound.
func (s *Store) Session(ctx context.Context, token db.TokenHash, now time.Time) (db.Session, db.User, error) {
	var session db.Session
	var u db.User
	err := s.reads.QueryRowContext(ctx, `
		SELECT s.id, s.user_id, s.token, s.agent, s.created_at, s.seen_at, s.expires_at, s.for_host,
			`+userColumns+`
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.token = ? AND s.expires_at > ?`, digest(token), instant(now),
	).Scan(append([]any{&session.ID, &session.UserID, (*digest)(&session.Token), &session.Agent,
		(*instant)(&session.CreatedAt), (*instant)(&session.SeenAt), (*instant)(&session.ExpiresAt), &session.ForHost,
	}, userFields(&u)...)...)
	return session, u, about("session", err)
}

// TouchSession records that the session was used and lasts until expires.
func (s *Store) TouchSession(ctx context.Context, id int64, seen, expires time.Time) error {
	return about(session(id), found(s.writes.ExecContext(ctx, `
		UPDATE sessions SET seen_at = ?, expires_at = ? WHERE id = ?`, instant(seen), instant(expires), id)))
}

// Sessions returns the person's sessions that have not expired, the one used
// last first.
func (s *Store) Sessions(ctx context.Context, userID int64, now time.Time) ([]db.Session, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT id, user_id, token, agent, created_at, seen_at, expires_at, for_host
		FROM sessions WHERE user_id = ? AND expires_at > ?
		ORDER BY seen_at DESC, id DESC`, userID, instant(now))
	sessions, err := all(rows, err, scanSession)
	return sessions, about("sessions of "+user(userID), err)
}

// EndSession ends one of the person's sessions. Another person's is
// db.ErrNotFound.
func (s *Store) EndSession(ctx context.Context, userID, id int64) error {
	return about(session(id), found(s.writes.ExecContext(ctx, `
		DELETE FROM sessions WHERE id = ? AND user_id = ?`, id, userID)))
}

// EndOtherSessions ends all of the person's sessions but one.
func (s *Store) EndOtherSessions(ctx context.Context, userID, keepID int64) error {
	_, err := s.writes.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ? AND id <> ?`, userID, keepID)
	return about("sessions of "+user(userID), err)
}

func session(id int64) string { return fmt.Sprintf("session %d", id) }

func scanSession(rows *sql.Rows) (v db.Session, err error) {
	err = rows.Scan(&v.ID, &v.UserID, (*digest)(&v.Token), &v.Agent,
		(*instant)(&v.CreatedAt), (*instant)(&v.SeenAt), (*instant)(&v.ExpiresAt), &v.ForHost)
	return v, err
}
