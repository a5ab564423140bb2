#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/scenarios/scenario.hpp"
#include "persistence/sql/connection.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace jobstrand::bench {

namespace {

/// What the connections of a pool have sent so far.
struct StatementCount {
    std::atomic<std::uint64_t> statements{0};
    std::atomic<std::uint64_t> transactions{0};  ///< Their BEGIN and COMMIT are not in statements.
};

/// Counts what goes through a connection.
class CountingConnection final : public persistence::Connection {
public:
    /// `count` must outlive it.
    CountingConnection(std::unique_ptr<persistence::Connection> inner, StatementCount& count)
        : inner_(std::move(inner)), count_(count) {}

    [[nodiscard]] const persistence::Dialect& dialect() const noexcept override {
        return inner_->dialect();
    }
    std::int64_t execute(std::string_view sql, std::span<const persistence::Value> values)
        override {
        ++count_.statements;
        return inner_->execute(sql, values);
    }
    [[nodiscard]] bool copy_in(const persistence::NewRows& rows) override {
        const bool is_done = inner_->copy_in(rows);
        count_.statements += is_done ? 1 : 0;
        return is_done;
    }
    void query(
        persistence::Query query,
        std::span<const persistence::Value> values,
        const persistence::RowReader& read
    ) override {
        ++count_.statements;
        inner_->query(query, values, read);
    }
    void run_script(std::string_view sql) override {
        ++count_.statements;
        inner_->run_script(sql);
    }
    void begin() override { inner_->begin(); }
    void announce_jobs() override { inner_->announce_jobs(); }
    void commit() override {
        ++count_.transactions;
        inner_->commit();
    }
    void rollback() noexcept override { inner_->rollback(); }
    [[nodiscard]] bool is_usable() const noexcept override { return inner_->is_usable(); }

private:
    const std::unique_ptr<persistence::Connection> inner_;
    StatementCount& count_;
};

/// What nodes cost while there is nothing to do.
class IdleScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "idle"; }

    [[nodiscard]] std::string description() const override {
        return "Statements and CPU of nodes that have nothing to do";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        add_duration(command, "--time", time_, "How long each repetition watches");
        add_duration(command, "--settle", settle_, "How long the nodes may settle before");
    }

    void run(Bench& bench) override {
        bench.set("timeMs", fmt::to_string(time_.count()));
        bench.set("settleMs", fmt::to_string(settle_.count()));
        StatementCount count;
        RunLedger ledger(1);
        Nodes nodes(
            bench,
            {.executor = executor_settings(bench.options),
             .decorate_connection =
                 [&count](std::unique_ptr<persistence::Connection> connection) {
                     return std::make_unique<CountingConnection>(std::move(connection), count);
                 }},
            no_op_handler(ledger)
        );
        nodes.start();
        run_one_job(bench, nodes, ledger);
        std::this_thread::sleep_for(settle_);
        watch(bench, count);
        nodes.stop();
        bench.check_end(ledger, 1);
    }

private:
    // Nodes that have worked before are the usual ones.
    static void run_one_job(const Bench& bench, Nodes& nodes, RunLedger& ledger) {
        nodes.first().enqueue(numbered_job(0));
        bench.wait_for_end(ledger, 1);
    }

    void watch(const Bench& bench, const StatementCount& count) const {
        const auto nodes = static_cast<double>(bench.options.nodes);
        Figure statements{"statements per node", "1/s", {}};
        Figure transactions{"transactions per node", "1/s", {}};
        Figure cpu{"CPU per node", "% of a core", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            const std::uint64_t statements_before = count.statements;
            const std::uint64_t transactions_before = count.transactions;
            const double cpu_before = process_cpu_seconds();
            const Stopwatch watch;
            std::this_thread::sleep_for(time_);
            statements.values.push_back(watch.rate(count.statements - statements_before) / nodes);
            transactions.values.push_back(
                watch.rate(count.transactions - transactions_before) / nodes
            );
            cpu.values.push_back(
                100 * (process_cpu_seconds() - cpu_before) / watch.seconds() / nodes
            );
            bench.say(fmt::format("{} statements/s", shown(statements.values.back())));
        }
        for (const Figure& figure : {statements, transactions, cpu}) {
            bench.result.figures.push_back(figure);
        }
    }

    schema::Duration time_{std::chrono::seconds(20)};
    /// Until the waits are as long as they get, and the rates of the last minute are zero.
    schema::Duration settle_{std::chrono::seconds(70)};
};

}  // namespace

ScenarioPtr idle_scenario() {
    return std::make_unique<IdleScenario>();
}

}  // namespace jobstrand::bench
