package db

import (
	"context"
	"fmt"
	"time"
)

// trimmedAtOnce is how many requests one transaction removes at most for each of the limits, so that
// what else is to be written never waits long.
const trimmedAtOnce = 250

// bytesBesideBody is about what a request takes in the table and its indexes beside its body.
const bytesBesideBody = 300

const (
	requestsSize = "SELECT number, bytes FROM requests_size WHERE id = 1"

	// trimOldRequests has the time and the number of those that go at most.
	trimOldRequests = `DELETE FROM requests WHERE seq IN
		(SELECT seq FROM requests WHERE at < ? ORDER BY at LIMIT ?)`

	// firstRequests are the first to go, with what each takes.
	firstRequests = "SELECT seq, length(body) AS bytes FROM requests ORDER BY seq LIMIT ?"

	trimFirstRequests = "DELETE FROM requests WHERE seq <= ?"
)

// requestsTotal is the row of the table requests_size.
type requestsTotal struct {
	Number int64 `db:"number"`
	Bytes  int64 `db:"bytes"`
}

// requestSize is a row of firstRequests.
type requestSize struct {
	Seq   int64 `db:"seq"`
	Bytes int64 `db:"bytes"`
}

// TrimRequests removes requests that began before since, and the first ones of more than number, or of
// more than about bytes in all. It does a part of it in one short transaction: more says that there is
// more to remove.
func (d *DB) TrimRequests(ctx context.Context, since time.Time, number int, bytes int64) (more bool, err error) {
	err = d.write(ctx, false, func(tx *transaction) error {
		old, err := tx.change(ctx, trimOldRequests, since.UnixMilli(), trimmedAtOnce)
		if err != nil {
			return err
		}
		more = old == trimmedAtOnce
		var total []requestsTotal
		if err := tx.rows(ctx, &total, requestsSize); err != nil || len(total) == 0 {
			return err
		}
		overNumber := total[0].Number - int64(number)
		overBytes := total[0].Bytes + bytesBesideBody*total[0].Number - bytes
		if overNumber <= 0 && overBytes <= 0 {
			return nil
		}
		var first []requestSize
		if err := tx.rows(ctx, &first, firstRequests, trimmedAtOnce); err != nil {
			return err
		}
		n := countOver(first, overNumber, overBytes)
		if n == 0 {
			return nil
		}
		more = more || n == trimmedAtOnce
		return tx.exec(ctx, trimFirstRequests, first[n-1].Seq)
	})
	if err != nil {
		return false, fmt.Errorf("trim requests: %w", err)
	}
	return more, nil
}

// countOver is how many of the first have to go for number and bytes to be gone.
func countOver(first []requestSize, number, bytes int64) int {
	n := 0
	for n < len(first) && (number > 0 || bytes > 0) {
		number--
		bytes -= first[n].Bytes + bytesBesideBody
		n++
	}
	return n
}
