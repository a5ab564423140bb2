import { KeyHeld } from "./errors.js";
import { refuseOthers } from "./names.js";
import { freshId } from "./texts.js";

/** Characters of a payload that stand in the row of the job; a longer one has a row of its own. */
const kMostInRow = 4000;

/** How often a key is asked for that is freed between two statements. */
const kTries = 3;

const kMarks = { sqlite: () => "?", mysql: () => "?", postgresql: (number) => `$${number}` };

/** What lets a key be that is there already. */
const kUnlessThere = {
  sqlite: " ON CONFLICT DO NOTHING",
  postgresql: " ON CONFLICT DO NOTHING",
  mysql: " ON DUPLICATE KEY UPDATE KEY_ = KEY_",
};

/** Where a job may wait. */
const kPlaces = ["ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", "ACT_RU_SUSPENDED_JOB"];

/** Who is said to have the lock of a job that nobody runs. */
const kNobody = ["waiting for an exclusive job", "waiting for a limit"];

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

/** A time: PostgreSQL gets it as a text, because some drivers would take it for one of the local zone. */
class Instant {
  constructor(time) {
    this.text = time.toISOString().slice(0, 23).replace("T", " ");
  }
}

/** Whether the job needs to know who has its key. */
export function mayMeetAnother({ onDuplicate }) {
  return onDuplicate === "keep" || onDuplicate === "replace";
}

/**
 * The statements that add a job, one by one, as `{ sql, values }`. Of one with `reads` the rows are sent, as lists of values. One with
 * `isAtLast` runs also when another has failed. Returns the id of the job; that of another one which was kept in its place. For
 * "sqlite", "mysql" (and MariaDB) or "postgresql". Throws RangeError for what only the service can do, and KeyHeld.
 */
export function* insertion(database, job) {
  if (!Object.hasOwn(kMarks, database)) {
    throw new RangeError(`not a database that is known here: ${database}`);
  }
  refuseWhatNeedsTheService(job);
  const hasTimes = job.dueDate !== undefined || job.uniqueForMs !== undefined || mayMeetAnother(job);
  if (database !== "mysql" || !hasTimes) {
    return yield* added(database, job);
  }
  // Times are given in UTC; the columns would take them for the session's.
  yield { sql: "SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'", values: [] };
  try {
    return yield* added(database, job);
  } finally {
    yield { sql: "SET time_zone = @jobstrand_zone", values: [], isAtLast: true };
  }
}

function refuseWhatNeedsTheService(job) {
  refuseOthers("a job in the app's own transaction", job, kFields);
  if (typeof job.dueDate === "string") {
    throw new RangeError("a due date in words needs the service: give a Date, or milliseconds from now");
  }
  if (job.repeat !== undefined && job.dueDate === undefined) {
    throw new RangeError("a job that repeats needs the due date of its first turn");
  }
  if (job.repeat !== undefined && job.uniqueKey !== undefined) {
    throw new RangeError("a job that repeats has no unique key: its id is the key of its series");
  }
  if (![undefined, "reject", "keep", "replace"].includes(job.onDuplicate)) {
    throw new RangeError(`onDuplicate is reject, keep or replace, not ${job.onDuplicate}`);
  }
  if (job.uniqueKey === undefined && (job.uniqueForMs !== undefined || job.onDuplicate !== undefined)) {
    throw new RangeError("uniqueForMs and onDuplicate go with uniqueKey");
  }
}

function* added(database, job) {
  const id = job.id ?? freshId();
  const kept = yield* takeKey(database, job, id);
  if (kept !== undefined) {
    return kept;
  }
  const row = { ID_: id, HANDLER_TYPE_: job.handlerType, CORRELATION_ID_: job.correlationId ?? id };
  Object.assign(row, { TYPE_: job.external ? "externalWorker" : undefined, ...(yield* payloadColumns(database, job)) });
  for (const [field, column] of Object.entries(kColumns)) {
    row[column] = database === "sqlite" && typeof job[field] === "boolean" ? Number(job[field]) : job[field];
  }
  let table = job.external ? "ACT_RU_EXTERNAL_JOB" : "ACT_RU_JOB";
  if (job.dueDate !== undefined && job.dueDate !== null) {
    const dueDate = typeof job.dueDate === "number" ? new Date(Date.now() + job.dueDate) : job.dueDate;
    table = "ACT_RU_TIMER_JOB";
    Object.assign(row, { TYPE_: row.TYPE_ ?? "timer", DUEDATE_: new Instant(dueDate), REPEAT_: job.repeat });
  }
  yield insert(database, table, row);
  if (database === "postgresql") {
    yield { sql: "NOTIFY jobstrand", values: [] };
  }
  return id;
}

/** Returns the id of the job that has the key and is kept, or undefined. */
function* takeKey(database, job, id) {
  if (job.uniqueKey === undefined) {
    return undefined;
  }
  const row = { KEY_: job.uniqueKey, JOB_ID_: id };
  if (job.uniqueForMs !== undefined || mayMeetAnother(job)) {
    yield statement(database, ["DELETE FROM JS_UNIQUE WHERE KEY_ = ", " AND UNTIL_ <= "], [job.uniqueKey, new Instant(new Date())]);
  }
  if (job.uniqueForMs !== undefined) {
    row.UNTIL_ = new Instant(new Date(Date.now() + job.uniqueForMs));
  }
  const insertKey = insert(database, "JS_UNIQUE", row);
  if (!mayMeetAnother(job)) {
    yield insertKey;
    return undefined;
  }
  const holder = yield* holderOf(database, job, insertKey);
  if (holder === id) {
    return undefined;
  }
  if (job.onDuplicate === "keep") {
    return holder;
  }
  yield* makeRoom(database, job, holder);
  const parts = ["UPDATE JS_UNIQUE SET REV_ = REV_ + 1, JOB_ID_ = ", ...(row.UNTIL_ ? [", UNTIL_ = ", ""] : [", UNTIL_ = NULL"])];
  parts[parts.length - 1] += " WHERE KEY_ = ";
  yield statement(database, parts, [id, ...(row.UNTIL_ ? [row.UNTIL_] : []), job.uniqueKey]);
  return undefined;
}

/** Returns the id of the job that has the key: this one, if it was free. */
function* holderOf(database, job, insertKey) {
  for (let left = kTries; left > 0; left -= 1) {
    yield { ...insertKey, sql: insertKey.sql + kUnlessThere[database] };
    const rows = yield statement(database, ["SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ", locking(database, "")], [job.uniqueKey], true);
    if (rows.length > 0) {
      return String(rows[0][0]);
    }
  }
  throw new KeyHeld(`others take and leave the unique key ${job.uniqueKey} again and again`);
}

/**
 * Removes the job that has the key, if it waits. A row that somebody has in hand is not waited for, so that nobody waits for a
 * key and a job in a circle.
 */
function* makeRoom(database, job, holder) {
  for (const table of kPlaces) {
    const hasLocks = table !== "ACT_RU_SUSPENDED_JOB";
    const parts = [`SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM ${table} WHERE REPEAT_ IS NULL AND SERIES_ IS NULL AND ID_ = `];
    parts.push(...(hasLocks ? [" AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (", ", ", "))"] : [""]));
    parts[parts.length - 1] += locking(database, " SKIP LOCKED");
    const rows = yield statement(database, parts, [holder, ...(hasLocks ? kNobody : [])], true);
    if (rows.length > 0) {
      yield statement(database, [`DELETE FROM ${table} WHERE ID_ = `], [holder]);
      for (const text of rows[0].filter((id) => id !== null && id !== undefined)) {
        yield statement(database, ["DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = "], [String(text)]);
      }
      return;
    }
  }
  throw new KeyHeld(`job ${holder} has the unique key ${job.uniqueKey}, and is running or has ended: it cannot be replaced`);
}

function* payloadColumns(database, job) {
  if (job.payload === undefined) {
    return {};
  }
  const text = JSON.stringify(job.payload);
  if ([...text].length <= kMostInRow) {
    return { HANDLER_CFG_: text };
  }
  const id = freshId();
  yield insert(database, "ACT_GE_BYTEARRAY", { ID_: id, NAME_: "payload", BYTES_: Buffer.from(text) });
  return { CUSTOM_VALUES_ID_: id };
}

function insert(database, table, row) {
  const given = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  const columns = given.map(([column]) => column).join(", ");
  const parts = given.map((_, index) => (index === 0 ? `INSERT INTO ${table} (${columns}) VALUES (` : ", "));
  return statement(database, [...parts, ")"], given.map(([, value]) => value));
}

/** The values stand between the parts. */
function statement(database, parts, values, reads = false) {
  const marks = values.map((value, index) => {
    const mark = kMarks[database](index + 1);
    return database === "postgresql" && value instanceof Instant ? `CAST(CAST(${mark} AS text) AS timestamp(3))` : mark;
  });
  const sql = parts.map((part, index) => part + (marks[index] ?? "")).join("");
  return { sql, values: values.map((value) => (value instanceof Instant ? value.text : value)), reads };
}

function locking(database, how) {
  return database === "sqlite" ? "" : ` FOR UPDATE${how}`;
}
