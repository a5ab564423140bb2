/**
 * What the connections of an app's drivers are, as `{ database, query }`: `query(sql, values)` resolves to what the driver answers.
 * Throws TypeError for one that is not known, and for a pool, which has no transaction.
 */
export function known(connection) {
  const found = connection === null || connection === undefined ? undefined : kKinds.find(({ is }) => is(connection));
  if (found === undefined) {
    throw new TypeError("not a connection that is known here (pg, postgres, mysql2, better-sqlite3, node:sqlite, Knex); a pool has no transaction: give one of its clients, or tell enqueueBy() how to run a statement");
  }
  return found.of(connection);
}

const has = (connection, ...methods) => methods.every((method) => typeof connection[method] === "function");

/** By the dialects of Knex. */
const kDatabases = { postgresql: "postgresql", mysql: "mysql", mysql2: "mysql", sqlite3: "sqlite" };

const kKinds = [
  // A transaction of Knex. Its marks are `?`, whatever the database.
  { is: (knex) => has(knex, "raw") && knex.client !== undefined, of: ofKnex },
  { is: (sql) => typeof sql === "function" && has(sql, "unsafe"), of: (sql) => ({ database: "postgresql", query: (text, values) => sql.unsafe(text, values) }) },
  { is: (client) => has(client, "query", "escapeIdentifier"), of: (client) => ({ database: "postgresql", query: (text, values) => client.query(text, values) }) },
  { is: (one) => has(one, "query", "escapeId") && !has(one, "getConnection"), of: ofMysql2 },
  // better-sqlite3, node:sqlite.
  { is: (database) => has(database, "prepare", "exec"), of: (database) => ({ database: "sqlite", query: async (text, values) => carriedOut(database.prepare(text), values) }) },
];

function ofKnex(knex) {
  const database = kDatabases[knex.client.dialect];
  if (database === undefined) {
    throw new TypeError(`not a database that is known here: ${knex.client.dialect}`);
  }
  return { database, query: async (text, values) => knex.raw(text.replace(/\$\d+/g, "?"), values) };
}

function ofMysql2(connection) {
  const promising = has(connection, "promise") ? connection.promise() : connection;
  return { database: "mysql", query: (text, values) => promising.query(text, values) };
}

/** better-sqlite3 wants to know what has rows, and says so. */
function carriedOut(statement, values) {
  return statement.reader === false ? statement.run(...values) : statement.all(...values);
}

/** As lists of values, in the order of the columns, of whatever a driver answers. */
export function rowsOf(answer) {
  const rows = Array.isArray(answer?.rows) ? answer.rows : Array.isArray(answer?.[0]) ? answer[0] : answer;
  if (!Array.isArray(rows)) {
    throw new TypeError("query(sql, values) must give the rows of a SELECT");
  }
  return rows.map((row) => Object.values(row));
}
