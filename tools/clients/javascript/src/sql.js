import { refuseOthers } from "./names.js";
import { freshId } from "./texts.js";

/** Characters of a payload that stand in the row of the job; a longer one has a row of its own. */
const kMostInRow = 4000;

const kMarks = { sqlite: () => "?", mysql: () => "?", postgresql: (number) => `$${number}` };

const kColumns = {
  retries: "RETRIES_",
  retryCycle: "RETRY_CYCLE_",
  priority: "PRIORITY_",
  exclusive: "EXCLUSIVE_",
  processInstanceId: "PROCESS_INSTANCE_ID_",
  processDefinitionId: "PROC_DEF_ID_",
  category: "CATEGORY_",
  tenantId: "TENANT_ID_",
  traceparent: "TRACE_PARENT_",
  uniqueKey: "UNIQUE_KEY_",
};

const kFields = ["correlationId", "dueDate", "external", "handlerType", "id", "onDuplicate", "payload", "repeat", "uniqueForMs", ...Object.keys(kColumns)];

/**
 * Adds a job in the app's own transaction: it is there exactly if the app commits. `query(sql, values)` runs one
 * statement on the app's connection, and returns a promise of its end; with a synchronous driver of SQLite it may return
 * what `run` does, which has `changes`. Resolves to the job's id when all have been carried out. Rejects with what `query`
 * throws or rejects with, and with TypeError when it returns anything else: nobody knows what became of the statement.
 *
 *     await enqueueBy("postgresql", (sql, values) => client.query(sql, values), { handlerType: "mail", payload: { order: 17 } });
 */
export async function enqueueBy(database, query, job) {
  const { id, statements, atLast } = insertionOf(database, job);
  const carryOut = async ({ sql, values }) => {
    const answer = query(sql, values);
    if (!isToldOfItsEnd(database, answer)) {
      throw new TypeError(`query(sql, values) must return the driver's promise of the statement's end, not ${nameOf(answer)}`);
    }
    await answer;
  };
  try {
    for (const statement of statements) {
      await carryOut(statement);
    }
  } finally {
    for (const statement of atLast) {
      await carryOut(statement);
    }
  }
  return id;
}

function isToldOfItsEnd(database, answer) {
  return typeof answer?.then === "function" || (database === "sqlite" && ["number", "bigint"].includes(typeof answer?.changes));
}

function nameOf(answer) {
  return answer === undefined || answer === null ? "nothing" : typeof answer === "object" ? `a ${answer.constructor?.name}` : typeof answer;
}

/**
 * The statements that add a job, with their values, and those that are to run at last, also when one of the others
 * has failed: for "sqlite", "mysql" (and MariaDB) or "postgresql". Throws
 * RangeError for what only the service can do: due dates in words, keys that keep or replace, external jobs for later.
 */
export function insertionOf(database, job) {
  if (!Object.hasOwn(kMarks, database)) {
    throw new RangeError(`not a database that is known here: ${database}`);
  }
  refuseWhatNeedsTheService(job);
  const id = job.id ?? freshId();
  const statements = [];
  const atLast = [];
  const add = (sql, values = []) => statements.push({ sql, values });
  const dueDate = typeof job.dueDate === "number" ? new Date(Date.now() + job.dueDate) : job.dueDate;
  // Times are given in UTC; the columns would take them for the session's.
  const isZoneSet = database === "mysql" && (dueDate || job.uniqueForMs !== undefined);
  if (isZoneSet) {
    add("SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'");
    atLast.push({ sql: "SET time_zone = @jobstrand_zone", values: [] });
  }
  takeKey(database, job, id, add);
  const row = { ID_: id, HANDLER_TYPE_: job.handlerType, CORRELATION_ID_: job.correlationId ?? id, ...payloadColumns(database, job, add) };
  for (const [field, column] of Object.entries(kColumns)) {
    row[column] = database === "sqlite" && typeof job[field] === "boolean" ? Number(job[field]) : job[field];
  }
  if (dueDate) {
    Object.assign(row, { TYPE_: "timer", DUEDATE_: utcText(dueDate), REPEAT_: job.repeat });
  }
  add(...insert(database, dueDate ? "ACT_RU_TIMER_JOB" : job.external ? "ACT_RU_EXTERNAL_JOB" : "ACT_RU_JOB", row));
  if (database === "postgresql") {
    add("NOTIFY jobstrand");
  }
  return { id, statements, atLast };
}

function refuseWhatNeedsTheService(job) {
  refuseOthers("a job in the app's own transaction", job, kFields);
  if (typeof job.dueDate === "string") {
    throw new RangeError("a due date in words needs the service: give a Date, or milliseconds from now");
  }
  if (job.repeat !== undefined && job.dueDate === undefined) {
    throw new RangeError("a job that repeats needs the due date of its first turn");
  }
  if (job.onDuplicate !== undefined && job.onDuplicate !== "reject") {
    throw new RangeError("a unique key that keeps or replaces needs the service");
  }
  if (job.uniqueForMs !== undefined && job.uniqueKey === undefined) {
    throw new RangeError("uniqueForMs goes with uniqueKey");
  }
  if (job.external && job.dueDate !== undefined) {
    throw new RangeError("an external job that is due later needs the service");
  }
}

function takeKey(database, job, id, add) {
  if (job.uniqueKey === undefined) {
    return;
  }
  const row = { KEY_: job.uniqueKey, JOB_ID_: id };
  if (job.uniqueForMs !== undefined) {
    const mark = kMarks[database];
    add(`DELETE FROM JS_UNIQUE WHERE KEY_ = ${mark(1)} AND UNTIL_ <= ${mark(2)}`, [job.uniqueKey, utcText(new Date())]);
    row.UNTIL_ = utcText(new Date(Date.now() + job.uniqueForMs));
  }
  add(...insert(database, "JS_UNIQUE", row));
}

function payloadColumns(database, job, add) {
  if (job.payload === undefined) {
    return {};
  }
  const text = JSON.stringify(job.payload);
  if ([...text].length <= kMostInRow) {
    return { HANDLER_CFG_: text };
  }
  const id = freshId();
  add(...insert(database, "ACT_GE_BYTEARRAY", { ID_: id, NAME_: "payload", BYTES_: Buffer.from(text) }));
  return { CUSTOM_VALUES_ID_: id };
}

function insert(database, table, row) {
  const given = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  const places = given.map((_, index) => kMarks[database](index + 1));
  const sql = `INSERT INTO ${table} (${given.map(([column]) => column).join(", ")}) VALUES (${places.join(", ")})`;
  return [sql, given.map(([, value]) => value)];
}

/** `2026-11-20 10:15:30.123`. */
function utcText(time) {
  return time.toISOString().slice(0, 23).replace("T", " ");
}
