import "reflect-metadata";
import { NestFactory } from "@nestjs/core";

import { Shop } from "./shop.js";

const app = await NestFactory.create(Shop);
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
