import { Body, Controller, Get, Post } from "@nestjs/common";
import { enqueue } from "jobstrand";

import { Database } from "./database.js";

@Controller("orders")
export class OrdersController {
  constructor(private readonly database: Database) {}

  @Get()
  count() {
    return { orders: this.database.prepare("SELECT count(*) AS n FROM orders").get()!.n };
  }

  @Post()
  async place(@Body("item") item: string) {
    return this.database.inTransaction(async () => {
      const order = Number(this.database.prepare("INSERT INTO orders (item) VALUES (?)").run(item).lastInsertRowid);
      await enqueue(this.database, { handlerType: "mail", payload: { order }, external: true, retryCycle: "R5/PT1M" });
      if (item === "nothing") {
        throw new Error("nobody can buy that");
      }
      return { order };
    });
  }
}
