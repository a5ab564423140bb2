// What javascript_sql_test.py asks of enqueue() on the connection of a driver:
//   node javascript_drivers.mjs PACKAGE DRIVER PLACE
// PLACE is the path of a SQLite file, or the JSON of what a server wants to know. Prints the ids of the jobs.
const [, , source, driver, place] = process.argv;
const { enqueue } = await import(`${source}/src/index.js`);
const server = () => JSON.parse(place);

/** As `{ connection, run, close }`: `run` takes a statement of one's own. */
const drivers = {
  async pg() {
    const { default: pg } = await import("pg");
    const client = new pg.Client(server());
    await client.connect();
    return { connection: client, run: (sql) => client.query(sql), close: () => client.end() };
  },
  async postgres() {
    const { default: postgres } = await import("postgres");
    const sql = postgres({ ...server(), onnotice: () => {} });
    const connection = await sql.reserve();
    return { connection, run: (text) => connection.unsafe(text), close: () => (connection.release(), sql.end()) };
  },
  async "knex-pg"() {
    return ofKnex("pg");
  },
  async "knex-mysql2"() {
    return ofKnex("mysql2");
  },
  async mysql2() {
    const { createConnection } = await import("mysql2/promise");
    const connection = await createConnection({ ...server(), timezone: "+05:00" });
    return { connection, run: (sql) => connection.query(sql), close: () => connection.end() };
  },
  async "mysql2-callbacks"() {
    const { default: mysql } = await import("mysql2");
    const connection = mysql.createConnection(server());
    return { connection, run: (sql) => connection.promise().query(sql), close: () => connection.promise().end() };
  },
  async "node:sqlite"() {
    const { DatabaseSync } = await import("node:sqlite");
    const connection = new DatabaseSync(place);
    return { connection, run: (sql) => connection.exec(sql), close: () => connection.close() };
  },
};

async function ofKnex(client) {
  const { default: Knex } = await import("knex");
  const knex = Knex({ client, connection: server(), pool: { min: 1, max: 1 } });
  let transaction;
  const run = async (sql) => {
    if (sql === "BEGIN") {
      transaction = await knex.transaction();
    } else {
      await transaction[sql.toLowerCase()]();
    }
  };
  return { get connection() { return transaction; }, run, close: () => knex.destroy() };
}

const app = await drivers[driver]();
const add = (job) => enqueue(app.connection, { handlerType: "mail", ...job });
const hour = 3_600_000;
const uniqueKey = `key of ${driver}`;
await app.run("BEGIN");
await add({ payload: { order: 16 } });
await app.run("ROLLBACK");
await app.run("BEGIN");
const plain = await add({ payload: { order: 17, to: "Zoë", "$1?": "ü".repeat(5000) } });
const later = await add({ external: true, dueDate: hour, exclusive: true, processInstanceId: "i-1" });
const repeated = await add({ dueDate: new Date(Date.now() + hour), repeat: "R/PT1H", priority: 7 });
const first = await add({ payload: "x".repeat(5000), dueDate: hour, uniqueKey });
const kept = await add({ dueDate: hour, uniqueKey, onDuplicate: "keep" });
const second = await add({ external: true, uniqueKey, uniqueForMs: hour, onDuplicate: "replace" });
await app.run("COMMIT");
await app.close();
console.log(JSON.stringify({ isKept: kept === first, jobs: { plain, later, repeated, second } }));
