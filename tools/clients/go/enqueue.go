package jobstrand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// mostInRow is how many characters of a payload stand in the row of the job; a longer one has a row of its own.
const mostInRow = 4000

// Enqueue adds a job in the app's transaction: it is there exactly if the app commits.
//
//	id, err := jobstrand.Enqueue(ctx, jobstrand.PostgreSQL(tx), jobstrand.NewJob{HandlerType: "mail", Payload: order})
//
// Returns its id; that of the job which has the unique key already, if that is kept. An error of the driver comes as it
// is: above all that the id or the unique key is taken. [ErrKeyHeld] says that a job which is to be replaced runs already. A
// DueText needs the service, and is refused.
func Enqueue(ctx context.Context, tx Connection, job NewJob) (string, error) {
	if tx.exec == nil {
		return "", errors.New("jobstrand: a Connection is made by SQLite, PostgreSQL, MySQL or Pgx")
	}
	if err := errors.Join(tx.err, refuseWhatNeedsTheService(job)); err != nil {
		return "", err
	}
	insertion := &insertion{tx: tx, job: job, id: job.ID, now: time.Now().UTC()}
	if insertion.id == "" {
		insertion.id = freshID()
	}
	return insertion.run(ctx)
}

func refuseWhatNeedsTheService(job NewJob) error {
	isTimer := !job.Due.IsZero() || job.Delay != 0
	switch {
	case job.DueText != "":
		return errors.New("jobstrand: a due date in words needs the service: give Due or Delay")
	case job.Repeat != "" && !isTimer:
		return errors.New("jobstrand: a job that repeats needs the due date of its first turn")
	case job.Repeat != "" && job.UniqueKey != "":
		return errors.New("jobstrand: a job that repeats has no unique key: its id is the key of its series")
	case job.UniqueKey == "" && (job.UniqueFor != 0 || job.OnDuplicate != ""):
		return errors.New("jobstrand: UniqueFor and OnDuplicate go with UniqueKey")
	}
	switch job.OnDuplicate {
	case "", Reject, Keep, Replace:
		return job.check()
	}
	return fmt.Errorf("jobstrand: OnDuplicate is Reject, Keep or Replace, not %q", job.OnDuplicate)
}

// insertion leaves the app's session as it was.
type insertion struct {
	tx  Connection
	job NewJob
	id  string
	now time.Time
}

func (i *insertion) run(ctx context.Context) (id string, err error) {
	if i.tx.dialect == mysql {
		// Times are given in UTC; the columns would take them for the session's.
		if err := i.tx.do(ctx, "SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'"); err != nil {
			return "", err
		}
		defer func() {
			err = errors.Join(err, i.tx.do(context.WithoutCancel(ctx), "SET time_zone = @jobstrand_zone"))
		}()
	}
	kept, err := i.takeKey(ctx)
	if err != nil || kept != "" {
		return kept, err
	}
	if err := i.insertJob(ctx); err != nil {
		return "", err
	}
	if i.tx.dialect == postgresql {
		return i.id, i.tx.do(ctx, "NOTIFY jobstrand")
	}
	return i.id, nil
}

func (i *insertion) insertJob(ctx context.Context) error {
	job, table := i.job, "ACT_RU_JOB"
	var row row
	row.text("ID_", i.id)
	row.text("HANDLER_TYPE_", job.HandlerType)
	if err := i.addPayload(ctx, &row); err != nil {
		return err
	}
	kind := ""
	if job.External {
		table, kind = "ACT_RU_EXTERNAL_JOB", "externalWorker"
	}
	due := job.Due
	if job.Delay != 0 {
		due = i.now.Add(job.Delay)
	}
	if !due.IsZero() {
		table = "ACT_RU_TIMER_JOB"
		if kind == "" {
			kind = "timer"
		}
		row.time(i.tx.dialect, "DUEDATE_", due)
		row.text("REPEAT_", job.Repeat)
	}
	row.text("TYPE_", kind)
	row.number("RETRIES_", job.Retries)
	row.number("PRIORITY_", job.Priority)
	if job.NotExclusive {
		row.add("EXCLUSIVE_", "?", false)
	}
	correlation := job.CorrelationID
	if correlation == "" {
		correlation = i.id
	}
	row.text("RETRY_CYCLE_", job.RetryCycle)
	row.text("PROCESS_INSTANCE_ID_", job.ProcessInstanceID)
	row.text("PROC_DEF_ID_", job.ProcessDefinitionID)
	row.text("CATEGORY_", job.Category)
	row.text("TENANT_ID_", job.TenantID)
	row.text("CORRELATION_ID_", correlation)
	row.text("TRACE_PARENT_", job.TraceParent)
	row.text("UNIQUE_KEY_", job.UniqueKey)
	return i.tx.do(ctx, row.insertion(table), row.values...)
}

func (i *insertion) addPayload(ctx context.Context, job *row) error {
	if i.job.Payload == nil {
		return nil
	}
	text, err := jsonOf(i.job.Payload)
	if err != nil {
		return fmt.Errorf("jobstrand: the payload cannot be told: %w", err)
	}
	if utf8.RuneCount(text) <= mostInRow {
		job.text("HANDLER_CFG_", string(text))
		return nil
	}
	var long row
	id := freshID()
	long.text("ID_", id)
	long.text("NAME_", "payload")
	long.add("BYTES_", "?", text)
	job.text("CUSTOM_VALUES_ID_", id)
	return i.tx.do(ctx, long.insertion("ACT_GE_BYTEARRAY"), long.values...)
}

// row is what is inserted; what has no value is left out.
type row struct {
	columns, marks []string
	values         []any
}

func (r *row) add(column, mark string, value any) {
	r.columns, r.marks, r.values = append(r.columns, column), append(r.marks, mark), append(r.values, value)
}

func (r *row) text(column, value string) {
	if value != "" {
		r.add(column, "?", value)
	}
}

func (r *row) number(column string, value int) {
	if value != 0 {
		r.add(column, "?", value)
	}
}

func (r *row) time(dialect dialect, column string, value time.Time) {
	r.add(column, dialect.timeMark(), utcText(value))
}

func (r *row) insertion(table string) string {
	return "INSERT INTO " + table + " (" + strings.Join(r.columns, ", ") + ") VALUES (" + strings.Join(r.marks, ", ") + ")"
}

func utcText(instant time.Time) string { return instant.UTC().Format("2006-01-02 15:04:05.000") }
