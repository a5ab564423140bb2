#pragma once

#include <jobstrand/engine.hpp>
#include <jobstrand/on_sqlite.hpp>

/// Takes orders on a SQLite connection of its own; each of them gets an invoice.
class Shop {
public:
    Shop(sqlite3* db, jobstrand::Engine& engine) : db_(db), engine_(engine) {
        run("CREATE TABLE orders (id TEXT); CREATE TABLE invoices (order_id TEXT)");
        engine.add_transactional_handler(
            "invoice",
            [](const jobstrand::JobContext& context, jobstrand::Transaction& transaction) {
                transaction.execute("INSERT INTO invoices VALUES (?)", {context.job.payload});
                return jobstrand::Succeeded{};
            }
        );
    }

    void place(const std::string& order) {
        const jobstrand::AppConnection own = jobstrand::on_sqlite(db_);
        run("BEGIN IMMEDIATE");
        own.run("INSERT INTO orders VALUES (?)", std::vector<jobstrand::Value>{order});
        engine_.enqueue(own, {.handler_type = "invoice", .payload = order});
        run("COMMIT");
        engine_.wake();
    }

    void run(const char* sql) {
        if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
            throw std::runtime_error(sqlite3_errmsg(db_));
        }
    }

private:
    sqlite3* db_;
    jobstrand::Engine& engine_;
};
