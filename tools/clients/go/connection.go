package jobstrand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Connection is the app's own, in its transaction, with the way in which its database is spoken to: one of SQLite,
// PostgreSQL, MySQL and Pgx.
type Connection struct {
	dialect dialect
	err     error
	exec    func(ctx context.Context, query string, values []any) error
	query   func(ctx context.Context, query string, values []any) (rows, error)
}

// Queryer is what *sql.Tx and *sql.Conn have, and what wraps them.
type Queryer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// SQLite is a transaction of database/sql on SQLite.
func SQLite(tx Queryer) Connection { return ofStandard(sqlite, tx) }

// PostgreSQL is a transaction of database/sql on PostgreSQL, with the driver of pgx or lib/pq.
func PostgreSQL(tx Queryer) Connection { return ofStandard(postgresql, tx) }

// MySQL is a transaction of database/sql on MySQL or MariaDB.
func MySQL(tx Queryer) Connection { return ofStandard(mysql, tx) }

// PgxRows is what pgx.Rows have.
type PgxRows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

// PgxQueryer is what pgx.Tx and *pgx.Conn have: Tag and Rows are pgconn.CommandTag and pgx.Rows.
type PgxQueryer[Tag any, Rows PgxRows] interface {
	Exec(ctx context.Context, sql string, arguments ...any) (Tag, error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
}

// Pgx is a transaction of pgx itself: Pgx(tx) with a pgx.Tx.
func Pgx[Tag any, Rows PgxRows](tx PgxQueryer[Tag, Rows]) Connection {
	return Connection{
		dialect: postgresql,
		err:     refusePool(tx),
		exec: func(ctx context.Context, query string, values []any) error {
			_, err := tx.Exec(ctx, query, values...)
			return err
		},
		query: func(ctx context.Context, query string, values []any) (rows, error) {
			found, err := tx.Query(ctx, query, values...)
			return pgxRows{found}, err
		},
	}
}

func ofStandard(dialect dialect, tx Queryer) Connection {
	return Connection{
		dialect: dialect,
		err:     refusePool(tx),
		exec: func(ctx context.Context, query string, values []any) error {
			_, err := tx.ExecContext(ctx, query, values...)
			return err
		},
		query: func(ctx context.Context, query string, values []any) (rows, error) {
			return tx.QueryContext(ctx, query, values...)
		},
	}
}

func refusePool(tx any) error {
	if _, isPool := tx.(*sql.DB); isPool || fmt.Sprintf("%T", tx) == "*pgxpool.Pool" {
		return errors.New("jobstrand: a pool has no transaction; give the transaction that the job belongs to")
	}
	return nil
}

// rows are those of database/sql.
type rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close() error
}

type pgxRows struct{ PgxRows }

func (r pgxRows) Close() error {
	r.PgxRows.Close()
	return r.Err()
}

// do carries a statement out, with `?` for each value.
func (c Connection) do(ctx context.Context, query string, values ...any) error {
	return c.exec(ctx, c.dialect.native(query), values)
}

// texts returns the first row of a query, which has so many columns; nil: there is none.
func (c Connection) texts(ctx context.Context, columns int, query string, values ...any) (row []sql.NullString, err error) {
	found, err := c.query(ctx, c.dialect.native(query), values)
	if err != nil {
		return nil, err
	}
	if found.Next() {
		row = make([]sql.NullString, columns)
		into := make([]any, columns)
		for at := range row {
			into[at] = &row[at]
		}
		err = found.Scan(into...)
	}
	// A driver carries nothing else out before the rows are closed.
	return row, errors.Join(err, found.Err(), found.Close())
}

type dialect int

const (
	sqlite dialect = iota
	postgresql
	mysql
)

// native writes the marks of the database in place of each `?`.
func (d dialect) native(query string) string {
	if d != postgresql {
		return query
	}
	var text strings.Builder
	number := 0
	for _, letter := range query {
		if letter == '?' {
			number++
			text.WriteString("$" + strconv.Itoa(number))
		} else {
			text.WriteRune(letter)
		}
	}
	return text.String()
}

// timeMark stands for a time: drivers of PostgreSQL would want one, and get a text.
func (d dialect) timeMark() string {
	if d == postgresql {
		return "CAST(CAST(? AS text) AS timestamp(3))"
	}
	return "?"
}

// unlessThere lets a key be that is there already. (INSERT IGNORE would tell the app of a warning.)
func (d dialect) unlessThere() string {
	if d == mysql {
		return " ON DUPLICATE KEY UPDATE KEY_ = KEY_"
	}
	return " ON CONFLICT DO NOTHING"
}

func (d dialect) locking(how string) string {
	if d == sqlite {
		return ""
	}
	return " FOR UPDATE" + how
}
