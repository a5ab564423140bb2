package jobstrand

import (
	"context"
	"fmt"
)

// keyTries is how often a key is asked for that is freed between two statements.
const keyTries = 3

// Who is said to have the lock of a job that nobody runs.
const waitsForExclusive, waitsForLimit = "waiting for an exclusive job", "waiting for a limit"

// takeKey returns the id of the job that has the key and is kept, if there is one.
func (i *insertion) takeKey(ctx context.Context) (string, error) {
	job, dialect := i.job, i.tx.dialect
	if job.UniqueKey == "" {
		return "", nil
	}
	mayMeetAnother := job.OnDuplicate == Keep || job.OnDuplicate == Replace
	var key row
	key.text("KEY_", job.UniqueKey)
	key.text("JOB_ID_", i.id)
	if job.UniqueFor != 0 {
		key.time(dialect, "UNTIL_", i.now.Add(job.UniqueFor))
	}
	if job.UniqueFor != 0 || mayMeetAnother {
		over := "DELETE FROM JS_UNIQUE WHERE KEY_ = ? AND UNTIL_ <= " + dialect.timeMark()
		if err := i.tx.do(ctx, over, job.UniqueKey, utcText(i.now)); err != nil {
			return "", err
		}
	}
	if !mayMeetAnother {
		return "", i.tx.do(ctx, key.insertion("JS_UNIQUE"), key.values...)
	}
	holder, err := i.holderOf(ctx, key)
	switch {
	case err != nil || holder == i.id:
		return "", err
	case job.OnDuplicate == Keep:
		return holder, nil
	}
	if err := i.remove(ctx, holder); err != nil {
		return "", err
	}
	return "", i.moveKey(ctx)
}

// holderOf returns the id of the job that has the key: this one, if it was free.
func (i *insertion) holderOf(ctx context.Context, key row) (string, error) {
	for try := 0; try < keyTries; try++ {
		if err := i.tx.do(ctx, key.insertion("JS_UNIQUE")+i.tx.dialect.unlessThere(), key.values...); err != nil {
			return "", err
		}
		found, err := i.tx.texts(ctx, 1, "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ?"+i.tx.dialect.locking(""), i.job.UniqueKey)
		if err != nil {
			return "", err
		}
		if found != nil {
			return found[0].String, nil
		}
	}
	return "", fmt.Errorf("%w: others take and leave %q again and again", ErrKeyHeld, i.job.UniqueKey)
}

// remove ends the job that has the key, if it waits. A row that somebody has in hand is not waited for, so that nobody waits
// for a key and a job in a circle.
func (i *insertion) remove(ctx context.Context, holder string) error {
	const columns = "SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM "
	for _, table := range []string{"ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", "ACT_RU_SUSPENDED_JOB"} {
		query, values := columns+table+" WHERE ID_ = ? AND REPEAT_ IS NULL AND SERIES_ IS NULL", []any{holder}
		if table != "ACT_RU_SUSPENDED_JOB" {
			query += " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))"
			values = append(values, waitsForExclusive, waitsForLimit)
		}
		texts, err := i.tx.texts(ctx, 2, query+i.tx.dialect.locking(" SKIP LOCKED"), values...)
		if err != nil {
			return err
		}
		if texts == nil {
			continue
		}
		if err := i.tx.do(ctx, "DELETE FROM "+table+" WHERE ID_ = ?", holder); err != nil {
			return err
		}
		for _, text := range texts {
			if !text.Valid {
				continue
			}
			if err := i.tx.do(ctx, "DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = ?", text.String); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%w: job %s has %q, and is running or has ended", ErrKeyHeld, holder, i.job.UniqueKey)
}

func (i *insertion) moveKey(ctx context.Context) error {
	until, values := "NULL", []any{i.id}
	if i.job.UniqueFor != 0 {
		until, values = i.tx.dialect.timeMark(), append(values, utcText(i.now.Add(i.job.UniqueFor)))
	}
	values = append(values, i.job.UniqueKey)
	return i.tx.do(ctx, "UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = "+until+", REV_ = REV_ + 1 WHERE KEY_ = ?", values...)
}
