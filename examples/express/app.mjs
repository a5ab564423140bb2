import express from "express";
import { enqueue } from "jobstrand";
import { database, inTransaction } from "./database.mjs";

const app = express();
app.use(express.urlencoded({ extended: false }));

app.get("/orders", (_, response) => response.json({ orders: database.prepare("SELECT count(*) AS n FROM orders").get().n }));

app.post("/orders", async (request, response, next) => {
  try {
    const order = await inTransaction(async () => {
      const { lastInsertRowid } = database.prepare("INSERT INTO orders (item) VALUES (?)").run(request.body.item);
      await enqueue(database, { handlerType: "mail", payload: { order: Number(lastInsertRowid) }, external: true, retryCycle: "R5/PT1M" });
      if (request.body.item === "nothing") {
        throw new Error("nobody can buy that");
      }
      return Number(lastInsertRowid);
    });
    response.status(201).json({ order });
  } catch (error) {
    next(error);
  }
});

app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
