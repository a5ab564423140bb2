#include "test/fixtures/signal.hpp"
#include "test/ledger/check_ledger.hpp"
#include "test/ledger/faults.hpp"
#include "test/ledger/fleet.hpp"
#include "test/ledger/ledger_database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <span>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using test::FaultKind;
using test::Fleet;

/// What the environment says, for the long runs of docs/correctness.md.
std::size_t given(const char* name, std::size_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : std::stoul(text);
}

/// A fleet on one database, and a script of what is done to it.
class Ledger : public testing::TestWithParam<test::LedgerDatabaseUnderTest> {
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
        const test::Instant began = test::now();
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
        ledger.outages.push_back({.from = began, .until = test::now()});
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
        return test::eventually(
            [&] {
                fleet->thaw_due();
                return is_so();
            },
            120s
        );
    }

    /// A process that is frozen while it writes keeps all others from the one file.
    void add_freezes_to_outages() {
        for (const test::NodeOutcome& outcome : ledger.nodes) {
            ledger.outages.insert(
                ledger.outages.end(), outcome.frozen.begin(), outcome.frozen.end()
            );
        }
    }

    void print_report(const test::Findings& findings) const {
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
    std::unique_ptr<test::LedgerDatabase> database;
    std::optional<Fleet> fleet;
    test::Ledger ledger;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Ledger,
    testing::ValuesIn(test::ledger_databases()),
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
    const auto script = test::script_of(seed, kills, Fleet::kNodes, database->is_server());
    fleet.emplace(database->url(), work, kLease);
    ASSERT_TRUE(run_script(script)) << "no progress after " << fleet->count_runs() << " runs";
    ASSERT_TRUE(wait_for_the_rest()) << database->count_jobs() << " are left, these among them:\n"
                                     << database->describe_jobs();
    fleet->thaw_all();
    fleet->expect_alive_and_stop();

    fleet->report_to(ledger);
    if (!database->is_server()) {
        add_freezes_to_outages();
    }
    database->report_to(ledger);
    const test::Findings findings = check(ledger);
    print_report(findings);
    expect_none("lost", findings.lost);
    expect_none("done twice", findings.done_twice);
    expect_none("stale writes", findings.stale);
    expect_none("overlaps", findings.overlaps);
    expect_none("over the limit", findings.over_limit);
    EXPECT_EQ(findings.most_limited, test::kMostLimited) << "the limit was not put to the test";
    EXPECT_GT(findings.ended_leases, 0U) << "the ledger does not see that a lease ends";
    expect_none("retries used by faults", findings.retries_used);
    expect_none("effects amiss", findings.effects);
    expect_none("repeats without a fault", findings.unexplained);
    EXPECT_GE(findings.runs, jobs);
}

TEST(FaultScript, Has_the_kills_it_was_asked_for_and_is_the_same_for_the_same_seed) {
    const auto script = test::script_of(7, 100, 4, true);
    const auto kills = std::ranges::count_if(script, [](const Fault& fault) {
        return fault.kind == FaultKind::kill_node || fault.kind == FaultKind::kill_database;
    });
    EXPECT_EQ(kills, 100);
    EXPECT_EQ(script, test::script_of(7, 100, 4, true));
    EXPECT_NE(script, test::script_of(8, 100, 4, true));
}

TEST(FaultScript, Does_nothing_to_a_server_that_there_is_not) {
    for (const Fault& fault : test::script_of(7, 100, 4, false)) {
        EXPECT_NE(fault.kind, FaultKind::kill_database);
        EXPECT_NE(fault.kind, FaultKind::jump_clock);
        EXPECT_NE(fault.kind, FaultKind::cut_connections);
    }
}

}  // namespace
}  // namespace jobstrand
