// An order service that embeds Jobstrand: it writes each order and the job that will invoice it in
// one transaction, and the invoice and the end of that job in another. Whenever it is killed, an
// order that was confirmed is there, and every order gets exactly one invoice.
//
//     order_service sqlite:orders.db place 3     take three orders
//     order_service sqlite:orders.db work        write the invoices that are due, then end
//     order_service sqlite:orders.db report      orders, invoices, and jobs still open
//
// With --die-at N, the process kills itself when it comes to its N-th step; the test goes through
// all of them.

#include <jobstrand/engine.hpp>

#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>

namespace {

using jobstrand::Engine;
using jobstrand::HandlerResult;
using jobstrand::JobContext;
using jobstrand::JobPlace;
using jobstrand::Row;
using jobstrand::Succeeded;
using jobstrand::Transaction;

/// Where a crash would hurt most: between any two effects.
class Steps {
public:
    explicit Steps(int die_at) : die_at_(die_at) {}

    void step() {
        const std::lock_guard lock(mutex_);
        if (++count_ == die_at_) {
            std::raise(SIGKILL);
        }
    }

private:
    const int die_at_;
    std::mutex mutex_;
    int count_ = 0;
};

std::int64_t count(Transaction& transaction, std::string_view sql) {
    std::int64_t rows = 0;
    transaction.query(sql, {}, [&](const Row& row) { rows = row.integer(0); });
    return rows;
}

class OrderService {
public:
    OrderService(Engine& engine, Steps& steps) : engine_(engine), steps_(steps) {
        engine_.in_transaction([](Transaction& transaction) {
            transaction.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)");
            transaction.execute("CREATE TABLE IF NOT EXISTS invoices (order_id TEXT)");
        });
        engine_.add_transactional_handler(
            "invoice",
            [this](const JobContext& context, Transaction& transaction) {
                return write_invoice(context, transaction);
            }
        );
    }

    /// When this returns, the customer has an order, and the order will have an invoice.
    std::string place_order() {
        std::string order;
        engine_.in_transaction([&](Transaction& transaction) {
            steps_.step();
            order = engine_.enqueue(transaction, {.handler_type = "invoice"});
            steps_.step();
            transaction.execute("INSERT INTO orders (id) VALUES (?)", {order});
            steps_.step();
        });
        steps_.step();
        return order;
    }

    void work_until_all_is_done() {
        engine_.start();
        std::unique_lock lock(mutex_);
        while (open_jobs() > 0) {
            written_.wait_for(lock, std::chrono::milliseconds(20));
        }
        lock.unlock();
        engine_.stop();
    }

    void report() {
        engine_.in_transaction([](Transaction& transaction) {
            std::cout << "orders " << count(transaction, "SELECT COUNT(*) FROM orders")
                      << "\ninvoices " << count(transaction, "SELECT COUNT(*) FROM invoices")
                      << "\ninvoiced orders "
                      << count(
                             transaction,
                             "SELECT COUNT(DISTINCT order_id) FROM invoices i JOIN orders o ON "
                             "o.id = i.order_id"
                         )
                      << "\n";
        });
        std::cout << "open jobs " << open_jobs() << "\n";
    }

private:
    // The invoice and the completion of its job commit together.
    HandlerResult write_invoice(const JobContext& context, Transaction& transaction) {
        steps_.step();
        transaction.execute("INSERT INTO invoices (order_id) VALUES (?)", {context.job.id});
        steps_.step();
        written_.notify_one();
        return Succeeded{};
    }

    std::int64_t open_jobs() {
        return engine_.count(JobPlace::executable) + engine_.count(JobPlace::timer) +
               engine_.count(JobPlace::dead_letter);
    }

    Engine& engine_;
    Steps& steps_;
    std::mutex mutex_;
    std::condition_variable written_;
};

int number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
        throw std::invalid_argument("not a number from 1 on: " + std::string(text));
    }
    return value;
}

int run(std::span<const std::string> arguments) {
    std::vector<std::string> words(arguments.begin(), arguments.end());
    int die_at = 0;
    if (words.size() >= 2 && words[words.size() - 2] == "--die-at") {
        die_at = number(words.back());
        words.resize(words.size() - 2);
    }
    if (words.size() < 2) {
        throw std::invalid_argument(
            "usage: order_service DATABASE place N | work | report [--die-at N]"
        );
    }

    Steps steps(die_at);
    Engine engine({
        .database_url = words[0],
        .lock_time = std::chrono::seconds(1),  // A killed process is forgotten soon.
        .reset_interval = std::chrono::milliseconds(200),
        .lost_starts = 1000,  // It is --die-at that kills, and no job.
        .log = nullptr,
    });
    OrderService service(engine, steps);

    if (words[1] == "place" && words.size() == 3) {
        for (int orders = number(words[2]); orders > 0; --orders) {
            std::cout << service.place_order() << std::endl;
        }
    } else if (words[1] == "work") {
        service.work_until_all_is_done();
    } else if (words[1] == "report") {
        service.report();
    } else {
        throw std::invalid_argument("unknown command: " + words[1]);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        return run(arguments);
    } catch (const std::exception& error) {
        std::cerr << "order_service: " << error.what() << "\n";
        return 1;
    }
}
