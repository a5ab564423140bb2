import { known, rowsOf } from "./connections.js";
import { insertion, mayMeetAnother } from "./insertion.js";
import { recording } from "./recording.js";

/**
 * Adds a job in the app's own transaction: it is there exactly if the app commits. `connection`: the one that the transaction is on,
 * of pg, postgres (`sql` within `sql.begin`), mysql2, better-sqlite3 or node:sqlite, or a transaction of Knex. Resolves to the job's
 * id; to that of the job which has the unique key already, if that is kept. Rejects with what the driver says, with KeyHeld when a
 * job that is to be replaced runs already, and with RangeError for what only the service can do: due dates in words.
 *
 *     await enqueue(client, { handlerType: "mail", payload: { order: 17 } });
 */
export async function enqueue(connection, job) {
  if (recording.record !== undefined) {
    return recording.record(job).id;
  }
  const { database, query } = known(connection);
  return carryOut(database, query, job);
}

/**
 * The same with any driver. `query(sql, values)` runs one statement on the app's connection, and returns a promise of its end, or of
 * its rows; with a synchronous driver of SQLite it may return what `run` does, which has `changes`, or `all`, which has the rows.
 * Rejects with TypeError when it returns anything else: nobody knows what became of the statement.
 *
 *     await enqueueBy("postgresql", (sql, values) => client.query(sql, values), { handlerType: "mail", payload: { order: 17 } });
 */
export async function enqueueBy(database, query, job) {
  if (recording.record !== undefined) {
    return recording.record(job).id;
  }
  return carryOut(database, (sql, values) => {
    const answer = query(sql, values);
    if (!isToldOfItsEnd(database, answer)) {
      throw new TypeError(`query(sql, values) must return the driver's promise of the statement's end, not ${nameOf(answer)}`);
    }
    return answer;
  }, job);
}

/** What PostgreSQL, MySQL and SQLite say of a table that is not there. */
const kNoTable = /relation .* does not exist|Table .* doesn't exist|no such table/;

/** A field of the driver's error, which Node.js shows with it; pg has it for hints of PostgreSQL's. */
function withAdvice(error) {
  if (kNoTable.test(error?.message)) {
    error.hint ??= "the tables of Jobstrand are not in this database: `jobstrand schema create --db URL` makes them";
  }
  return error;
}

/** An insertion hears of errors too, so that it can undo what it did to the session. */
async function carryOut(database, query, job) {
  const steps = insertion(database, job);
  let step = steps.next();
  while (!step.done) {
    let rows;
    let failure;
    try {
      const answer = await query(step.value.sql, step.value.values);
      rows = step.value.reads ? rowsOf(answer) : undefined;
    } catch (error) {
      failure = { error: withAdvice(error) };
    }
    step = failure ? steps.throw(failure.error) : steps.next(rows);
  }
  return step.value;
}

function isToldOfItsEnd(database, answer) {
  const isOfSqlite = Array.isArray(answer) || ["number", "bigint"].includes(typeof answer?.changes);
  return typeof answer?.then === "function" || (database === "sqlite" && isOfSqlite);
}

function nameOf(answer) {
  return answer === undefined || answer === null ? "nothing" : typeof answer === "object" ? `a ${answer.constructor?.name}` : typeof answer;
}

/**
 * The statements that add a job, with their values, and those that are to run at last, also when one of the others has failed: for
 * "sqlite", "mysql" (and MariaDB) or "postgresql". Throws RangeError for what enqueue() refuses, and for keys that keep or replace,
 * because there one statement depends on what another finds.
 */
export function insertionOf(database, job) {
  if (mayMeetAnother(job)) {
    throw new RangeError("a unique key that keeps or replaces needs enqueue() or enqueueBy()");
  }
  const steps = insertion(database, job);
  const all = [];
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    all.push(step.value);
  }
  const [statements, atLast] = [false, true].map((isAtLast) =>
    all.filter((one) => Boolean(one.isAtLast) === isAtLast).map(({ sql, values }) => ({ sql, values })),
  );
  return { id: step.value, statements, atLast };
}
