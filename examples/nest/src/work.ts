import "reflect-metadata";
import { NestFactory } from "@nestjs/core";

import { Worker } from "./shop.js";

const app = await NestFactory.createApplicationContext(Worker);
app.enableShutdownHooks(); // So that SIGTERM lets running handlers end.
