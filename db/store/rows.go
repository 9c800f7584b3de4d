package store

import "database/sql"

// all reads every row with scan and closes rows.
func all[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, rows.Err()
}

// one reads the only row with scan; without a row it is sql.ErrNoRows.
func one[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) (T, error) {
	found, err := all(rows, err, scan)
	if err == nil && len(found) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

func scanID(rows *sql.Rows) (id int64, err error) {
	err = rows.Scan(&id)
	return id, err
}

func scanText(rows *sql.Rows) (text string, err error) {
	err = rows.Scan(&text)
	return text, err
}

func scanFlag(rows *sql.Rows) (flag bool, err error) {
	err = rows.Scan(&flag)
	return flag, err
}
