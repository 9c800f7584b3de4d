package schema

// CurrentService is an expression for the ID of the service that the team uses.
const CurrentService = `(SELECT id FROM services WHERE current = 1)`

// SendingService is like CurrentService. It is NULL if the service must not be called.
const SendingService = `(SELECT id FROM services WHERE current = 1 AND held = 0)`

// Counted is a condition for rows of one service: what was spent there counts in limits and
// totals. Those are all real services while the team uses a real one, and the embedded one
// in practice mode, because the credits of both must never be added.
const Counted = `service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1))`

// OtherCredits is the condition for all other rows: what was spent there is shown by itself.
const OtherCredits = `service_id IN (SELECT id FROM services WHERE practice <> (SELECT practice FROM services WHERE current = 1))`

// Paid is a condition for rows of real services or, while the team has never used one, of
// the embedded one.
const Paid = `service_id IN (SELECT id FROM services WHERE practice = (SELECT min(practice) FROM services))`
