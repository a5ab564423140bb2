import { DatabaseSync } from "node:sqlite";

import { Injectable } from "@nestjs/common";

@Injectable()
export class Database extends DatabaseSync {
  constructor() {
    super(process.env.DATABASE_FILE ?? "jobs.db");
    this.exec("PRAGMA busy_timeout = 30000; CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL)");
  }

  /** All that `work` writes is there when it ends, or nothing. It must not wait for anything but the database. */
  async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = await work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      this.exec("ROLLBACK");
      throw error;
    }
  }
}
