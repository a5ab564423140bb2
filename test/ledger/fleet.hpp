#pragma once

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/ledger/ledger.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::test {

/// Nodes of one database, each a process that writes its own ledger; killed ones are replaced. The
/// last one is `jobstrand serve`, which runs the commands.
class Fleet final {
public:
    static constexpr std::size_t kNodes = 4;

    /// Starts them all. Each job takes `work`.
    Fleet(std::string url, std::chrono::milliseconds work, std::chrono::milliseconds lease);

    /// SIGKILL, and another in its place.
    void replace(std::size_t node);

    /// SIGSTOP; thaw_due() lets it go on after three leases.
    void freeze(std::size_t node);
    void thaw_due() { thaw_until(std::chrono::steady_clock::now()); }
    void thaw_all() { thaw_until(std::chrono::steady_clock::time_point::max()); }

    /// `jobstrand serve` has no clock to play with.
    void jump_clock(std::size_t node) const;

    /// Whether each has come up: until then, one whose database is away gives up, as `serve` does
    /// under a supervisor.
    [[nodiscard]] bool have_started() const;

    /// Expects that all are alive, and drains them.
    void expect_alive_and_stop();

    /// About how many runs have ended.
    [[nodiscard]] std::size_t count_runs();

    /// What all of them have written, and what was done to them.
    void report_to(Ledger& ledger) const;

private:
    /// A place in the fleet with the process that is in it now.
    struct Place {
        std::unique_ptr<BackgroundProcess> process = {};
        std::size_t life = 0;  ///< Index of its outcome.
        std::optional<std::chrono::steady_clock::time_point> frozen_until = {};
    };

    void start(std::size_t node);
    void thaw_until(std::chrono::steady_clock::time_point now);
    void end_freeze(Place& place);
    [[nodiscard]] std::vector<std::string> command_of(std::size_t node) const;
    [[nodiscard]] std::string file(const std::string& name) const;
    [[nodiscard]] std::string ledger_file(std::size_t life) const;

    const TemporaryDirectory directory_;
    const std::string url_;
    const std::chrono::milliseconds work_;
    const std::chrono::milliseconds lease_;
    std::vector<NodeOutcome> outcomes_;
    std::size_t bytes_of_the_dead_ = 0;
    std::vector<Place> places_;  ///< Killed before their files go.
};

}  // namespace jobstrand::test
