import { Module } from "@nestjs/common";
import { JobstrandModule } from "jobstrand/nest";

import { Database } from "./database.js";
import { Mail } from "./mail.js";
import { OrdersController } from "./orders.controller.js";

const url = process.env.JOBSTRAND_URL ?? "http://127.0.0.1:8080";

@Module({ imports: [JobstrandModule.forRoot({ url, worker: false })], controllers: [OrdersController], providers: [Database] })
export class Shop {}

@Module({ imports: [JobstrandModule.forRoot({ url, concurrency: 20 })], providers: [Database, Mail] })
export class Worker {}
