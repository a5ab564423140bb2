#pragma once

#include "bench/core/bench.hpp"
#include "executor/job_handler.hpp"
#include "tools/engine/wiring.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace jobstrand::bench {

/// Executors on the measured database, each a whole engine with threads and connections of its own.
class Nodes final {
public:
    /// As many as the options say, with their settings; all run jobs with `handler`.
    Nodes(const Bench& bench, const executor::JobHandler& handler);

    /// The URL in the options is replaced by the measured one.
    Nodes(const Bench& bench, engine::WiringOptions options, const executor::JobHandler& handler);

    /// Stops those that run.
    ~Nodes();

    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    /// Before start(): a type beside that of the handler.
    void add_handler(std::string_view type, const executor::JobHandler& handler);

    void start();

    /// Throws std::runtime_error when a handler does not end.
    void stop();

    /// The one that takes in what producers hand over.
    [[nodiscard]] engine::Wiring& first() { return *engines_.front(); }

private:
    std::vector<std::unique_ptr<engine::Wiring>> engines_;
    bool running_ = false;
};

/// An engine that only enqueues, as another process would.
[[nodiscard]] std::unique_ptr<engine::Wiring> other_process(const Bench& bench);

/// Does nothing but count the job; `ledger` must outlive it.
[[nodiscard]] executor::JobHandler no_op_handler(RunLedger& ledger);

/// A job with this number, for the ledger, and a payload of at least so many bytes.
[[nodiscard]] schema::Job numbered_job(std::size_t number, std::size_t payload_bytes = 0);

}  // namespace jobstrand::bench
