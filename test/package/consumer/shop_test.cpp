#include "shop.hpp"

#include <jobstrand/testing.hpp>

#include <cstdlib>
#include <iostream>

namespace {

void require(bool is_so, const char* what) {
    if (!is_so) {
        std::cerr << "not so: " << what << "\n";
        std::exit(1);
    }
}

std::int64_t count(jobstrand::Engine& engine, const char* sql) {
    std::int64_t rows = 0;
    engine.in_transaction([&](jobstrand::Transaction& transaction) {
        transaction.query(sql, {}, [&](const jobstrand::Row& row) { rows = row.integer(0); });
    });
    return rows;
}

}  // namespace

/// Tests the shop without a server, a thread or a sleep.
int main() {
    jobstrand::TestEngine test;
    sqlite3* db = nullptr;
    sqlite3_open(test.database_path().c_str(), &db);
    Shop shop(db, test.engine());

    shop.place("A17");
    require(test.waiting().size() == 1, "the order has a job");
    require(test.waiting().front().payload == "A17", "which knows its order");
    require(count(test.engine(), "SELECT COUNT(*) FROM invoices") == 0, "nothing runs by itself");

    require(test.run_until_idle() == 1, "the job runs");
    require(test.runs().front().end == jobstrand::RunEnd::succeeded, "and succeeds");
    require(count(test.engine(), "SELECT COUNT(*) FROM invoices") == 1, "there is an invoice");

    shop.run("BEGIN IMMEDIATE");
    test.engine().enqueue(jobstrand::on_sqlite(db), {.handler_type = "invoice"});
    shop.run("ROLLBACK");
    require(test.waiting().empty(), "a job goes with the transaction that it was enqueued in");
    sqlite3_close(db);
}
