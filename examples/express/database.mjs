import { DatabaseSync } from "node:sqlite";

export const database = new DatabaseSync(process.env.DATABASE_FILE ?? "jobs.db");
database.exec("PRAGMA busy_timeout = 30000; CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL)");

/** All that `work` writes is there when it ends, or nothing. It must not wait for anything but the database. */
export async function inTransaction(work) {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = await work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
