package db

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/jmoiron/sqlx"
)

// contentsOf is every row of every table of a database, as text.
type contentsOf map[string][]string

func (c contentsOf) equal(other contentsOf) bool {
	return maps.EqualFunc(c, other, slices.Equal[[]string])
}

// difference is what other has instead, in few words.
func (c contentsOf) difference(other contentsOf) string {
	for table, rows := range c {
		if len(rows) != len(other[table]) {
			return fmt.Sprintf("%d rows instead of %d in %s", len(other[table]), len(rows), table)
		}
		for i, row := range rows {
			if row != other[table][i] {
				return fmt.Sprintf("another row %d in %s", i, table)
			}
		}
	}
	return fmt.Sprintf("%d tables instead of %d", len(other), len(c))
}

// everything reads a database that nobody has open.
func everything(t *testing.T, path string) contentsOf {
	t.Helper()
	at, err := locate(path)
	if err != nil {
		t.Fatal(err)
	}
	look, err := openStill(at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := look.Close(); err != nil {
			t.Error(err)
		}
	}()
	all := contentsOf{}
	for _, table := range tables(t, look) {
		rows, err := look.Queryx("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			row := map[string]any{}
			if err := rows.MapScan(row); err != nil {
				t.Fatal(err)
			}
			if body, ok := row["body"].([]byte); ok {
				row["body"] = string(body)
			}
			all[table] = append(all[table], fmt.Sprint(row))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func tables(t *testing.T, look *sqlx.DB) []string {
	t.Helper()
	var names []string
	if err := look.Select(&names, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"); err != nil {
		t.Fatal(err)
	}
	return names
}
