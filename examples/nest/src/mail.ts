import { Injectable } from "@nestjs/common";
import type { Job } from "jobstrand";
import { JobHandler } from "jobstrand/nest";

import { Database } from "./database.js";

@Injectable()
export class Mail {
  constructor(private readonly database: Database) {}

  @JobHandler("mail")
  async send(job: Job<{ order: number }>) {
    const order = this.database.prepare("SELECT id, item FROM orders WHERE id = ?").get(job.payload.order)!;
    console.log(`mail for order ${order.id}: ${order.item}`);
  }
}
