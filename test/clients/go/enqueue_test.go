package test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	_ "github.com/go-sql-driver/mysql"

	"jobstrand.invalid/jobstrand"
)

// app is one with a database, and transactions of one driver.
type app struct {
	name  string
	begin func(t *testing.T) transaction
	// text is the first column of a query's first row; empty: there is none.
	text func(t *testing.T, query string) string
}

type transaction struct {
	jobs     jobstrand.Connection
	exec     func(query string) error
	commit   func() error
	rollback func() error
}

func standard(name string, database *sql.DB, of func(jobstrand.Queryer) jobstrand.Connection) app {
	return app{
		name: name,
		begin: func(t *testing.T) transaction {
			tx, err := database.Begin()
			if err != nil {
				t.Fatal(err)
			}
			exec := func(query string) error {
				_, err := tx.Exec(query)
				return err
			}
			return transaction{of(tx), exec, tx.Commit, tx.Rollback}
		},
		text: func(t *testing.T, query string) (text string) {
			if err := database.QueryRow(query).Scan(&text); err != nil && !errors.Is(err, sql.ErrNoRows) {
				t.Fatal(err)
			}
			return text
		},
	}
}

func ofPgx(t *testing.T, url string) app {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close(ctx) })
	return app{
		name: "pgx",
		begin: func(t *testing.T) transaction {
			tx, err := connection.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			exec := func(query string) error {
				_, err := tx.Exec(ctx, query)
				return err
			}
			commit, rollback := func() error { return tx.Commit(ctx) }, func() error { return tx.Rollback(ctx) }
			return transaction{jobstrand.Pgx(tx), exec, commit, rollback}
		},
		text: func(t *testing.T, query string) (text string) {
			if err := connection.QueryRow(ctx, query).Scan(&text); err != nil && !errors.Is(err, pgx.ErrNoRows) {
				t.Fatal(err)
			}
			return text
		},
	}
}

// apps runs a test on each driver, with no rows of another test.
func apps(t *testing.T, test func(t *testing.T, a app)) {
	found := []app{standard("sqlite", start(t).database(), jobstrand.SQLite)}
	if url := os.Getenv("POSTGRESQL_URL"); url != "" {
		database, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { database.Close() })
		found = append(found, standard("pgx stdlib", database, jobstrand.PostgreSQL), ofPgx(t, url))
	} else {
		t.Log("PostgreSQL is left out: no POSTGRESQL_URL")
	}
	if name := os.Getenv("MARIADB_NAME"); name != "" {
		database, err := sql.Open("mysql", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { database.Close() })
		found = append(found, standard("go-sql-driver", database, jobstrand.MySQL))
	} else {
		t.Log("MariaDB is left out: no MARIADB_NAME")
	}
	for _, a := range found {
		t.Run(a.name, func(t *testing.T) {
			tx := a.begin(t)
			for _, table := range []string{"ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", "ACT_GE_BYTEARRAY", "JS_UNIQUE"} {
				if err := tx.exec("DELETE FROM " + table); err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.exec("CREATE TABLE IF NOT EXISTS ORDERS (ID INTEGER)"); err != nil {
				t.Fatal(err)
			}
			if err := tx.commit(); err != nil {
				t.Fatal(err)
			}
			test(t, a)
		})
	}
}

// enqueue commits a job of its own.
func (a app) enqueue(t *testing.T, job jobstrand.NewJob) (string, error) {
	t.Helper()
	tx := a.begin(t)
	id, err := jobstrand.Enqueue(context.Background(), tx.jobs, job)
	if err != nil {
		tx.rollback()
		return "", err
	}
	if err := tx.commit(); err != nil {
		t.Fatal(err)
	}
	return id, nil
}

func (a app) expect(t *testing.T, query, wanted string) {
	t.Helper()
	if is := a.text(t, query); is != wanted {
		t.Errorf("%s: %q, not %q", query, is, wanted)
	}
}

func TestAJobIsThereExactlyIfTheAppCommits(t *testing.T) {
	apps(t, func(t *testing.T, a app) {
		for _, end := range []string{"rollback", "commit"} {
			tx := a.begin(t)
			if err := tx.exec("INSERT INTO ORDERS VALUES (17)"); err != nil {
				t.Fatal(err)
			}
			id, err := jobstrand.Enqueue(context.Background(), tx.jobs, jobstrand.NewJob{HandlerType: "log", Payload: map[string]int{"order": 17}})
			if err != nil || len(id) != 36 || id[14] != '7' {
				t.Fatal(id, err)
			}
			if end == "rollback" {
				err = tx.rollback()
			} else {
				err = tx.commit()
			}
			if err != nil {
				t.Fatal(err)
			}
			wanted := map[string]string{"rollback": "", "commit": `{"order":17}`}[end]
			a.expect(t, "SELECT HANDLER_CFG_ FROM ACT_RU_JOB WHERE ID_ = '"+id+"'", wanted)
		}
	})
}

func TestAllKindsOfJobsGoInTheTransaction(t *testing.T) {
	apps(t, func(t *testing.T, a app) {
		for _, job := range []jobstrand.NewJob{
			full,
			{ID: "external", HandlerType: "mail", External: true},
			{ID: "hourly", HandlerType: "log", Due: time.Now().Add(time.Hour), Repeat: "R/PT1H"},
			{ID: "long", HandlerType: "log", Payload: strings.Repeat("ä", 4000)},
			{ID: "short", HandlerType: "log", Payload: strings.Repeat("ä", 3998)},
		} {
			if _, err := a.enqueue(t, job); err != nil {
				t.Fatal(job.ID, err)
			}
		}
		a.expect(t, "SELECT TYPE_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = 'external'", "externalWorker")
		a.expect(t, "SELECT TYPE_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'full-1'", "externalWorker")
		a.expect(t, "SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'hourly' AND TYPE_ = 'timer'", "R/PT1H")
		a.expect(t, "SELECT b.NAME_ FROM ACT_RU_JOB j JOIN ACT_GE_BYTEARRAY b ON b.ID_ = j.CUSTOM_VALUES_ID_ WHERE j.ID_ = 'long'", "payload")
		a.expect(t, "SELECT HANDLER_TYPE_ FROM ACT_RU_JOB WHERE ID_ = 'short' AND CUSTOM_VALUES_ID_ IS NULL", "log")
		a.expect(t, "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'mail-1' AND UNTIL_ IS NOT NULL", "full-1")
	})
}

func TestTimesAreInUTCAndTheSessionOfMySQLIsLeftAsItWas(t *testing.T) {
	apps(t, func(t *testing.T, a app) {
		if a.name != "go-sql-driver" {
			t.Skip("it has no zone of the session")
		}
		tx := a.begin(t)
		defer tx.rollback()
		due := time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)
		job := jobstrand.NewJob{HandlerType: "log", Due: due}
		if err := tx.exec("SET time_zone = '+05:00'"); err != nil {
			t.Fatal(err)
		}
		if _, err := jobstrand.Enqueue(context.Background(), tx.jobs, job); err != nil {
			t.Fatal(err)
		}
		// Fails by its key, should the zone or the time not be as expected.
		const check = `INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) SELECT IF(@@session.time_zone = '+05:00' AND
			UNIX_TIMESTAMP(DUEDATE_) = 2114424000, 'right', NULL), 'log' FROM ACT_RU_TIMER_JOB`
		if err := tx.exec(check); err != nil {
			t.Error(err)
		}
	})
}

func TestTheServiceReadsWhatWasEnqueuedByItsTables(t *testing.T) {
	s := start(t)
	a := standard("sqlite", s.database(), jobstrand.SQLite)
	if _, err := a.enqueue(t, full); err != nil {
		t.Fatal(err)
	}
	expectFull(t, s.job("full-1"))
}

func TestUniqueKeysAreRefusedKeptAndReplaced(t *testing.T) {
	apps(t, func(t *testing.T, a app) {
		remind := jobstrand.NewJob{ID: "first", HandlerType: "log", External: true, UniqueKey: "remind", Payload: strings.Repeat("x", 5000)}
		if _, err := a.enqueue(t, remind); err != nil {
			t.Fatal(err)
		}
		remind.ID = "second"
		_, err := a.enqueue(t, remind)
		var ofPostgres *pgconn.PgError
		if err == nil || (strings.HasPrefix(a.name, "pgx") && (!errors.As(err, &ofPostgres) || ofPostgres.Code != "23505")) {
			t.Error("the driver's error is", err)
		}
		remind.OnDuplicate = jobstrand.Keep
		if id, err := a.enqueue(t, remind); id != "first" || err != nil {
			t.Error(id, err)
		}
		remind.OnDuplicate, remind.UniqueFor = jobstrand.Replace, time.Hour
		if id, err := a.enqueue(t, remind); id != "second" || err != nil {
			t.Fatal(id, err)
		}
		a.expect(t, "SELECT ID_ FROM ACT_RU_EXTERNAL_JOB", "second")
		a.expect(t, "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'remind' AND UNTIL_ IS NOT NULL", "second")
		a.expect(t, "SELECT CAST(COUNT(*) AS CHAR(1)) FROM ACT_GE_BYTEARRAY", "1")
		tx := a.begin(t)
		if err := errors.Join(tx.exec("DELETE FROM ACT_RU_EXTERNAL_JOB"), tx.commit()); err != nil {
			t.Fatal(err)
		}
		remind.ID = "third"
		if _, err := a.enqueue(t, remind); !errors.Is(err, jobstrand.ErrKeyHeld) {
			t.Error(err)
		}
	})
}

func TestWhatCannotBeMeantSoIsRefused(t *testing.T) {
	database := start(t).database()
	tx, err := database.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, wrong := range []jobstrand.NewJob{
		{},
		{HandlerType: "x", DueText: "tomorrow 09:00"},
		{HandlerType: "x", Repeat: "R/PT1H"},
		{HandlerType: "x", Delay: time.Hour, Repeat: "R/PT1H", UniqueKey: "k"},
		{HandlerType: "x", OnDuplicate: jobstrand.Keep},
		{HandlerType: "x", UniqueKey: "k", OnDuplicate: "kepe"},
		{HandlerType: "x", Payload: make(chan int)},
	} {
		if _, err := jobstrand.Enqueue(context.Background(), jobstrand.SQLite(tx), wrong); err == nil {
			t.Errorf("%+v", wrong)
		}
	}
	for _, wrong := range []jobstrand.Connection{{}, jobstrand.SQLite(database)} {
		if _, err := jobstrand.Enqueue(context.Background(), wrong, jobstrand.NewJob{HandlerType: "x"}); err == nil {
			t.Error("a pool has no transaction")
		}
	}
}
