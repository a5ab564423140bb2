#include "test/ledger/ledger.hpp"

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/ledger/check_ledger.hpp"
#include "test/ledger/ledger_database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

std::size_t size_of(const std::string& file) {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(file, none);
    return none ? 0 : bytes;
}

/// Nodes of one database, each a process that writes its own ledger; killed ones are replaced. The
/// last one is `jobstrand serve`, which runs the commands.
class Fleet final {
public:
    static constexpr std::size_t kNodes = 4;
    static constexpr std::size_t kServe = kNodes - 1;

    /// Starts them all. Each job takes `work`.
    Fleet(std::string url, std::chrono::milliseconds work, std::chrono::milliseconds lease)
        : url_(std::move(url)), work_(work), lease_(lease), places_(kNodes) {
        // Processes inherit that. One that has just begun must not die of a jump of its clock.
        std::signal(SIGUSR1, SIG_IGN);
        for (std::size_t node = 0; node < kNodes; ++node) {
            start(node);
        }
    }

    /// SIGKILL, and another in its place.
    void replace(std::size_t node) {
        Place& place = places_[node];
        // What it may still do, it does before its death; a frozen one does no more.
        place.process->kill();
        end_freeze(place);
        outcomes_[place.life].died = now();
        bytes_of_the_dead_ += size_of(ledger_file(place.life));
        start(node);
    }

    /// SIGSTOP; thaw_due() lets it go on after three leases.
    void freeze(std::size_t node) {
        Place& place = places_[node];
        if (place.frozen_until) {
            return;
        }
        outcomes_[place.life].frozen.push_back({.from = now(), .until = Instant::max()});
        place.process->freeze();
        place.frozen_until = std::chrono::steady_clock::now() + 3 * lease_;
    }
    void thaw_due() { thaw_until(std::chrono::steady_clock::now()); }
    void thaw_all() { thaw_until(std::chrono::steady_clock::time_point::max()); }

    /// `jobstrand serve` has no clock to play with.
    void jump_clock(std::size_t node) const {
        if (node != kServe) {
            places_[node].process->send(SIGUSR1);
        }
    }

    /// Whether each has come up: until then, one whose database is away gives up, as `serve` does
    /// under a supervisor.
    [[nodiscard]] bool have_started() const {
        return std::ranges::all_of(places_, [](const Place& place) {
            return place.process->log().find("executor started") != std::string::npos;
        });
    }

    /// The last lines of each node's log.
    [[nodiscard]] std::string last_words() const {
        constexpr std::size_t kShown = 1500;
        std::string words;
        for (const Place& place : places_) {
            const std::string log = place.process->log();
            const std::size_t from = log.size() - std::min(log.size(), kShown);
            words +=
                fmt::format("node {}: ...{}\n", place.life, std::string_view(log).substr(from));
        }
        return words;
    }

    /// Expects that all are alive, and drains them.
    void expect_alive_and_stop() {
        for (const Place& place : places_) {
            EXPECT_EQ(place.process->wait(std::chrono::milliseconds(0)), std::nullopt)
                << place.process->log();
            place.process->send(SIGTERM);
        }
        for (const Place& place : places_) {
            EXPECT_EQ(place.process->wait(kPatience), 0) << place.process->log();
        }
    }

    /// About how many runs have ended.
    [[nodiscard]] std::size_t count_runs() {
        std::size_t bytes = bytes_of_the_dead_;
        for (const Place& place : places_) {
            bytes += size_of(ledger_file(place.life));
        }
        static const std::size_t one_run =
            2 * line_of({.at = now(), .job = "job-000000001", .token = 2}).size();
        return bytes / one_run;
    }

    /// What all of them have written, and what was done to them.
    void report_to(Ledger& ledger) const {
        ledger.nodes = outcomes_;
        for (std::size_t life = 0; life < outcomes_.size(); ++life) {
            std::ifstream lines(ledger_file(life));
            ledger.add_runs(life, read_entries(lines));
        }
    }

private:
    /// A place in the fleet with the process that is in it now.
    struct Place {
        std::unique_ptr<BackgroundProcess> process = {};
        std::size_t life = 0;  ///< Index of its outcome.
        std::optional<std::chrono::steady_clock::time_point> frozen_until = {};
    };

    void start(std::size_t node) {
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
    void thaw_until(std::chrono::steady_clock::time_point now) {
        for (Place& place : places_) {
            if (place.frozen_until && *place.frozen_until <= now) {
                place.process->send(SIGCONT);
                end_freeze(place);
            }
        }
    }
    void end_freeze(Place& place) {
        if (std::exchange(place.frozen_until, {})) {
            outcomes_[place.life].frozen.back().until = now();
        }
    }
    [[nodiscard]] std::vector<std::string> command_of(std::size_t node) const {
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
    [[nodiscard]] std::string file(const std::string& name) const {
        return (directory_.path() / name).string();
    }
    [[nodiscard]] std::string ledger_file(std::size_t life) const {
        return file(fmt::format("ledger-{}", life));
    }

    const TemporaryDirectory directory_;
    const std::string url_;
    const std::chrono::milliseconds work_;
    const std::chrono::milliseconds lease_;
    std::vector<NodeOutcome> outcomes_;
    std::size_t bytes_of_the_dead_ = 0;
    std::vector<Place> places_;  ///< Killed before their files go.
};

/// What is done to a cluster from outside.
enum class FaultKind {
    kill_node,
    freeze_node,  ///< For three lease times.
    jump_clock,   ///< Of a node, which has one of its own beside a server's.
    kill_database,
    cut_connections,  ///< All of them, by the database.
};

struct Fault {
    FaultKind kind = FaultKind::kill_node;
    std::size_t node = 0;

    bool operator==(const Fault&) const = default;
};

/// Of a hundred faults.
constexpr std::pair<FaultKind, std::uint64_t> kShares[]{
    {FaultKind::kill_database, 5},
    {FaultKind::cut_connections, 5},
    {FaultKind::jump_clock, 8},
    {FaultKind::freeze_node, 8},
    {FaultKind::kill_node, 74},
};

// Not by a distribution of the standard library, each of which draws in its own way.
FaultKind kind_of(std::uint64_t drawn) {
    for (const auto& [kind, share] : kShares) {
        if (drawn < share) {
            return kind;
        }
        drawn -= share;
    }
    return FaultKind::kill_node;
}

// Without a server the nodes' clock is the database's, and one for all.
bool is_of_server(FaultKind kind) {
    return kind == FaultKind::kill_database || kind == FaultKind::cut_connections ||
           kind == FaultKind::jump_clock;
}

/// A script of faults with so many SIGKILLs for `nodes` nodes, and for the database where it is a
/// server. The same seed gives the same script.
std::vector<Fault>
script_of(std::uint64_t seed, std::size_t kills, std::size_t nodes, bool has_server) {
    std::mt19937_64 random(seed);
    std::vector<Fault> script;
    while (kills > 0) {
        const FaultKind kind = kind_of(random() % 100);
        const std::size_t node = random() % nodes;
        if (is_of_server(kind) && !has_server) {
            continue;
        }
        kills -= kind == FaultKind::kill_node || kind == FaultKind::kill_database ? 1 : 0;
        script.push_back({.kind = kind, .node = node});
    }
    return script;
}

/// What the environment says, for the long runs of docs/correctness.md.
std::size_t given(const char* name, std::size_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : std::stoul(text);
}

/// A fleet on one database, and a script of what is done to it.
class Ledger : public testing::TestWithParam<LedgerDatabaseUnderTest> {
protected:
    static constexpr std::chrono::milliseconds kLease{2000};

    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        database = GetParam().open();
    }

    void apply(const Fault& fault) {
        if (fault.kind == FaultKind::kill_database || fault.kind == FaultKind::cut_connections) {
            ASSERT_TRUE(wait_until([&] { return fleet->have_started(); }));
        }
        const Instant began = now();
        switch (fault.kind) {
            case FaultKind::kill_node:
                return fleet->replace(fault.node);
            case FaultKind::freeze_node:
                return fleet->freeze(fault.node);
            case FaultKind::jump_clock:
                return fleet->jump_clock(fault.node);
            case FaultKind::kill_database:
                database->crash();
                break;
            case FaultKind::cut_connections:
                database->cut_connections();
                break;
        }
        ledger.outages.push_back({.from = began, .until = now()});
    }

    /// The faults come evenly over nine tenths of the work: how much of it is done is estimated.
    [[nodiscard]] bool run_script(std::span<const Fault> script) {
        for (std::size_t i = 0; i < script.size(); ++i) {
            const std::size_t due = jobs * 9 / 10 * (i + 1) / script.size();
            if (!wait_until([&] { return fleet->count_runs() >= due; })) {
                return false;
            }
            apply(script[i]);
        }
        return true;
    }

    /// Jobs under the limit are worked off last, and they take as long as they take.
    [[nodiscard]] bool wait_for_the_rest() {
        std::int64_t left = database->count_jobs();
        while (left > 0) {
            const std::int64_t before = left;
            if (!wait_until([&] { return (left = database->count_jobs()) < before; })) {
                return false;
            }
        }
        return true;
    }

    /// false: it has not come for two minutes.
    [[nodiscard]] bool wait_until(const std::function<bool()>& is_so) {
        return eventually(
            [&] {
                fleet->thaw_due();
                return is_so();
            },
            120s
        );
    }

    /// A process that is frozen while it writes keeps all others from the one file.
    void add_freezes_to_outages() {
        for (const NodeOutcome& outcome : ledger.nodes) {
            ledger.outages.insert(
                ledger.outages.end(), outcome.frozen.begin(), outcome.frozen.end()
            );
        }
    }

    void print_report(const Findings& findings) const {
        fmt::print(
            "{}: {} jobs, {} SIGKILLs, {} runs, {} repeats, {} transactions begun anew, {} nodes "
            "too "
            "slow to renew their lease\n",
            GetParam().name,
            jobs,
            kills,
            findings.runs,
            findings.repeats,
            findings.begun_anew,
            findings.ended_leases_of_living
        );
        fmt::print(
            "  lost {}, done twice {}, stale writes {}, overlaps {}, over the limit {}, retries "
            "used "
            "by faults {}, effects amiss {}, repeats without a fault {}\n",
            findings.lost.size(),
            findings.done_twice.size(),
            findings.stale.size(),
            findings.overlaps.size(),
            findings.over_limit.size(),
            findings.retries_used.size(),
            findings.effects.size(),
            findings.unexplained.size()
        );
    }

    const std::size_t jobs = given("JOBSTRAND_LEDGER_JOBS", 8000);
    const std::size_t kills = given("JOBSTRAND_LEDGER_KILLS", 12);
    const std::size_t seed = given("JOBSTRAND_LEDGER_SEED", 1);
    /// What a run takes: a server that is long away needs work that is not done meanwhile.
    const std::chrono::milliseconds work{given("JOBSTRAND_LEDGER_WORK_MS", 2)};
    std::unique_ptr<LedgerDatabase> database;
    std::optional<Fleet> fleet;
    test::Ledger ledger;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Ledger,
    testing::ValuesIn(ledger_databases()),
    testing::PrintToStringParamName()
);

void expect_none(const char* what, const std::vector<std::string>& found) {
    constexpr std::size_t shown = 10;
    EXPECT_EQ(
        found.size(), 0U
    ) << what
      << ": "
      << fmt::format("{}", fmt::join(std::span(found).first(std::min(found.size(), shown)), "\n"));
}

// I1 I2 I3 I4 I5
TEST_P(Ledger, Whatever_dies_every_job_is_done_once_and_exclusive_ones_alone) {
    database->add_jobs(jobs, ledger);
    const auto script = script_of(seed, kills, Fleet::kNodes, database->is_server());
    fleet.emplace(database->url(), work, kLease);
    ASSERT_TRUE(run_script(script)) << "no progress after " << fleet->count_runs() << " runs\n"
                                    << fleet->last_words() << database->describe_jobs();
    ASSERT_TRUE(wait_for_the_rest()) << database->count_jobs() << " are left, these among them:\n"
                                     << database->describe_jobs();
    fleet->thaw_all();
    fleet->expect_alive_and_stop();

    fleet->report_to(ledger);
    if (!database->is_server()) {
        add_freezes_to_outages();
    }
    database->report_to(ledger);
    const Findings findings = check(ledger);
    print_report(findings);
    expect_none("lost", findings.lost);
    expect_none("done twice", findings.done_twice);
    expect_none("stale writes", findings.stale);
    expect_none("overlaps", findings.overlaps);
    expect_none("over the limit", findings.over_limit);
    EXPECT_EQ(findings.most_limited, kMostLimited) << "the limit was not put to the test";
    EXPECT_GT(findings.ended_leases, 0U) << "the ledger does not see that a lease ends";
    expect_none("retries used by faults", findings.retries_used);
    expect_none("effects amiss", findings.effects);
    expect_none("repeats without a fault", findings.unexplained);
    EXPECT_GE(findings.runs, jobs);
}

TEST(FaultScript, Has_the_kills_it_was_asked_for_and_is_the_same_for_the_same_seed) {
    const auto script = script_of(7, 100, 4, true);
    const auto kills = std::ranges::count_if(script, [](const Fault& fault) {
        return fault.kind == FaultKind::kill_node || fault.kind == FaultKind::kill_database;
    });
    EXPECT_EQ(kills, 100);
    EXPECT_EQ(script, script_of(7, 100, 4, true));
    EXPECT_NE(script, script_of(8, 100, 4, true));
}

TEST(FaultScript, Does_nothing_to_a_server_that_there_is_not) {
    for (const Fault& fault : script_of(7, 100, 4, false)) {
        EXPECT_NE(fault.kind, FaultKind::kill_database);
        EXPECT_NE(fault.kind, FaultKind::jump_clock);
        EXPECT_NE(fault.kind, FaultKind::cut_connections);
    }
}

}  // namespace

}  // namespace jobstrand::test
