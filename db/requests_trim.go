package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// trimmedAtOnce is how many requests one transaction removes at most for each of the limits, so that
// what else is to be written never waits long.
const trimmedAtOnce = 250

// bytesBesideBody is about what a request takes in the table and its indexes beside its body.
const bytesBesideBody = 300

const (
	requestsSize   = "SELECT number, bytes FROM requests_size WHERE id = 1"
	resizeRequests = "UPDATE requests_size SET number = number + ?, bytes = bytes + ? WHERE id = 1"

	// oldRequests and removeOldRequests have the time and the number of those that go at most.
	oldRequests       = "SELECT seq, length(body) AS bytes FROM requests WHERE at < ? ORDER BY at, seq LIMIT ?"
	removeOldRequests = `DELETE FROM requests WHERE seq IN
		(SELECT seq FROM requests WHERE at < ? ORDER BY at, seq LIMIT ?)`

	// firstRequests are the first ones in their order, removeFirstRequests has the last of those that go.
	firstRequests       = "SELECT seq, length(body) AS bytes FROM requests ORDER BY seq LIMIT ?"
	removeFirstRequests = "DELETE FROM requests WHERE seq <= ?"
)

// requestsTotal is the row of the table requests_size.
type requestsTotal struct {
	Number int64 `db:"number"`
	Bytes  int64 `db:"bytes"`
}

// requestSize is a request that may have to go.
type requestSize struct {
	Seq   int64 `db:"seq"`
	Bytes int64 `db:"bytes"`
}

// TrimRequests removes requests that began before since, and the first ones of more than number, or of
// more than about bytes in all. It does a part of it in one short transaction: more says that there is
// more to remove.
func (d *DB) TrimRequests(ctx context.Context, since time.Time, number int, bytes int64) (more bool, err error) {
	err = d.write(ctx, false, func(tx *transaction) error {
		old, err := removeOld(ctx, tx, since)
		if err != nil {
			return err
		}
		over, err := removeOver(ctx, tx, int64(number), bytes)
		more = old == trimmedAtOnce || over == trimmedAtOnce
		return err
	})
	if err != nil {
		return false, fmt.Errorf("trim requests: %w", err)
	}
	return more, nil
}

// removeOld removes what began before since, and gives the number.
func removeOld(ctx context.Context, tx *transaction, since time.Time) (int, error) {
	var old []requestSize
	if err := tx.rows(ctx, &old, oldRequests, since.UnixMilli(), trimmedAtOnce); err != nil || len(old) == 0 {
		return 0, err
	}
	return len(old), errors.Join(tx.exec(ctx, removeOldRequests, since.UnixMilli(), trimmedAtOnce), shrink(ctx, tx, old))
}

// removeOver removes the first requests of more than number or bytes, and gives the number.
func removeOver(ctx context.Context, tx *transaction, number, bytes int64) (int, error) {
	var total []requestsTotal
	if err := tx.rows(ctx, &total, requestsSize); err != nil || len(total) == 0 {
		return 0, err
	}
	number = total[0].Number - number
	bytes = total[0].Bytes + bytesBesideBody*total[0].Number - bytes
	if number <= 0 && bytes <= 0 {
		return 0, nil
	}
	var first []requestSize
	if err := tx.rows(ctx, &first, firstRequests, trimmedAtOnce); err != nil {
		return 0, err
	}
	n := 0
	for n < len(first) && (number > 0 || bytes > 0) {
		number--
		bytes -= first[n].Bytes + bytesBesideBody
		n++
	}
	if n == 0 {
		return 0, nil
	}
	return n, errors.Join(tx.exec(ctx, removeFirstRequests, first[n-1].Seq), shrink(ctx, tx, first[:n]))
}

// shrink counts requests that are gone.
func shrink(ctx context.Context, tx *transaction, gone []requestSize) error {
	var bytes int64
	for i := range gone {
		bytes += gone[i].Bytes
	}
	return tx.exec(ctx, resizeRequests, -len(gone), -bytes)
}
