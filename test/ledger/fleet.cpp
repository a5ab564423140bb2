#include "test/ledger/fleet.hpp"

#include "test/fixtures/signal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace jobstrand::test {

namespace {

constexpr std::size_t kServe = Fleet::kNodes - 1;

std::size_t size_of(const std::string& file) {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(file, none);
    return none ? 0 : bytes;
}

}  // namespace

Fleet::Fleet(std::string url, std::chrono::milliseconds work, std::chrono::milliseconds lease)
    : url_(std::move(url)), work_(work), lease_(lease), places_(kNodes) {
    // Processes inherit that. One that has just begun must not die of a jump of its clock.
    std::signal(SIGUSR1, SIG_IGN);
    for (std::size_t node = 0; node < kNodes; ++node) {
        start(node);
    }
}

void Fleet::start(std::size_t node) {
    Place& place = places_[node];
    place.life = outcomes_.size();
    outcomes_.emplace_back();
    if (node == kServe) {
        const char* const locks = std::getenv("JOBSTRAND_LEDGER_LOCKS");
        std::ofstream(file("config.toml")) << fmt::format(
            R"toml(
db = "{}"
logLevel = "info"
nodeLease = "PT{:.3f}S"
asyncExecutorAsyncJobLockTimeInMillis = {}
asyncExecutorResetExpiredJobsInterval = {}
maxLostStarts = 1000000
lockGranularity = "{}"
[commands.note]
program = "{}"
args = ["{}", "{}"]
)toml",
            url_,
            static_cast<double>(lease_.count()) / 1000,
            3 * lease_.count(),
            lease_.count() / 4,
            locks == nullptr ? "row" : locks,
            LEDGER_COMMAND,
            ledger_file(place.life),
            work_.count()
        );
    }
    place.process = std::make_unique<BackgroundProcess>(
        command_of(node), file(fmt::format("log-{}", place.life))
    );
    outcomes_[place.life].process = place.process->id();
}

std::vector<std::string> Fleet::command_of(std::size_t node) const {
    if (node == kServe) {
        return {JOBSTRAND_BINARY, "serve", "--config", file("config.toml")};
    }
    return {
        LEDGER_NODE,
        url_,
        ledger_file(places_[node].life),
        std::to_string(work_.count()),
        std::to_string(lease_.count())};
}

void Fleet::replace(std::size_t node) {
    Place& place = places_[node];
    // What it may still do, it does before its death; a frozen one does no more.
    place.process->kill();
    end_freeze(place);
    outcomes_[place.life].died = now();
    bytes_of_the_dead_ += size_of(ledger_file(place.life));
    start(node);
}

void Fleet::freeze(std::size_t node) {
    Place& place = places_[node];
    if (place.frozen_until) {
        return;
    }
    outcomes_[place.life].frozen.push_back({.from = now(), .until = Instant::max()});
    place.process->freeze();
    place.frozen_until = std::chrono::steady_clock::now() + 3 * lease_;
}

void Fleet::thaw_until(std::chrono::steady_clock::time_point now) {
    for (Place& place : places_) {
        if (place.frozen_until && *place.frozen_until <= now) {
            place.process->send(SIGCONT);
            end_freeze(place);
        }
    }
}

void Fleet::end_freeze(Place& place) {
    if (std::exchange(place.frozen_until, {})) {
        outcomes_[place.life].frozen.back().until = now();
    }
}

void Fleet::jump_clock(std::size_t node) const {
    if (node != kServe) {
        places_[node].process->send(SIGUSR1);
    }
}

bool Fleet::have_started() const {
    return std::ranges::all_of(places_, [](const Place& place) {
        return place.process->log().find("executor started") != std::string::npos;
    });
}

void Fleet::expect_alive_and_stop() {
    for (const Place& place : places_) {
        EXPECT_EQ(place.process->wait(std::chrono::milliseconds(0)), std::nullopt)
            << place.process->log();
        place.process->send(SIGTERM);
    }
    for (const Place& place : places_) {
        EXPECT_EQ(place.process->wait(kPatience), 0) << place.process->log();
    }
}

std::size_t Fleet::count_runs() {
    std::size_t bytes = bytes_of_the_dead_;
    for (const Place& place : places_) {
        bytes += size_of(ledger_file(place.life));
    }
    static const std::size_t one_run =
        2 * line_of({.at = now(), .job = "job-000000001", .token = 2}).size();
    return bytes / one_run;
}

void Fleet::report_to(Ledger& ledger) const {
    ledger.nodes = outcomes_;
    for (std::size_t life = 0; life < outcomes_.size(); ++life) {
        std::ifstream lines(ledger_file(life));
        ledger.add_runs(life, read_entries(lines));
    }
}

std::string Fleet::file(const std::string& name) const {
    return (directory_.path() / name).string();
}

std::string Fleet::ledger_file(std::size_t life) const {
    return file(fmt::format("ledger-{}", life));
}

}  // namespace jobstrand::test
