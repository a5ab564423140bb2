#include "test/ledger/check_ledger.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Findings;
using test::Instant;
using test::Ledger;
using test::NodeOutcome;
using testing::SizeIs;

constexpr Instant at(std::chrono::milliseconds time) {
    return Instant(time);
}

/// One job that ran once, from 10 to 20, on the first of two nodes.
class CheckLedger : public testing::Test {
protected:
    CheckLedger() {
        ledger.jobs = {"a"};
        ledger.nodes.resize(2);
        ledger.runs = {a_run("a", 2, 0, 10ms, 20ms)};
        ledger.ends = {{.job = "a", .token = 2, .at = at(21ms)}};
    }

    static test::Run a_run(
        std::string job,
        std::int64_t token,
        std::size_t node,
        std::chrono::milliseconds began,
        std::optional<std::chrono::milliseconds> ended
    ) {
        return {
            .job = std::move(job),
            .token = token,
            .node = node,
            .began = at(began),
            .ended = ended ? std::optional(at(*ended)) : std::nullopt};
    }

    /// A second exclusive job, which began while the first one ran.
    void overlap() {
        ledger.jobs.emplace_back("b");
        ledger.runs.push_back(a_run("b", 2, 1, 15ms, 25ms));
        ledger.ends.push_back({.job = "b", .token = 2, .at = at(26ms)});
        ledger.runs[0].instance = ledger.runs[1].instance = "i";
    }

    /// The job again, on the other node.
    void repeat() {
        ledger.runs.push_back(a_run("a", 4, 1, 100ms, 110ms));
        ledger.ends = {{.job = "a", .token = 4, .at = at(111ms)}};
    }

    [[nodiscard]] Findings findings() const { return check(ledger); }

    Ledger ledger;
};

TEST_F(CheckLedger, A_job_that_ran_once_is_no_finding) {
    EXPECT_TRUE(findings().are_none());
    EXPECT_EQ(findings().runs, 1U);
    EXPECT_EQ(findings().repeats, 0U);
}

/// So many limited jobs, of which each begins a millisecond after the one before.
void add_limited(Ledger& ledger, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::string id = "limited-" + std::to_string(i);
        const auto began = std::chrono::milliseconds(100 + i);
        ledger.jobs.push_back(id);
        ledger.limited.push_back(id);
        ledger.runs.push_back(
            {.job = id, .token = 2, .node = i % 2, .began = at(began), .ended = at(200ms)}
        );
        ledger.ends.push_back({.job = id, .token = 2, .at = at(201ms)});
    }
}

TEST_F(CheckLedger, As_many_runs_as_a_limit_allows_are_no_finding) {
    add_limited(ledger, test::kMostLimited);
    EXPECT_TRUE(findings().are_none());
    EXPECT_EQ(findings().most_limited, test::kMostLimited);
}

TEST_F(CheckLedger, One_run_more_than_a_limit_allows_is_told) {
    add_limited(ledger, test::kMostLimited + 1);
    EXPECT_THAT(findings().over_limit, SizeIs(1));
    EXPECT_FALSE(findings().are_none());
    ledger.runs.back().began = at(200ms);
    ledger.runs.back().ended = at(210ms);
    ledger.ends.back().at = at(211ms);
    EXPECT_TRUE(findings().are_none()) << "it began when the others ended";
}

TEST_F(CheckLedger, A_run_that_died_with_its_node_does_not_count_against_a_limit) {
    add_limited(ledger, test::kMostLimited + 1);
    Ledger& all = ledger;
    all.runs[1].ended.reset();
    all.nodes[0].died = at(101ms);
    all.runs[1].node = 0;
    for (std::size_t i = 2; i < all.runs.size(); ++i) {
        all.runs[i].node = 1;
    }
    EXPECT_THAT(findings().over_limit, testing::IsEmpty());
}

TEST_F(CheckLedger, A_job_whose_end_the_database_never_took_is_lost) {
    ledger.ends.clear();
    EXPECT_THAT(findings().lost, SizeIs(1));
}

TEST_F(CheckLedger, A_job_whose_only_end_is_a_failure_is_lost) {
    ledger.runs[0].failed = true;
    EXPECT_THAT(findings().lost, SizeIs(1));
}

TEST_F(CheckLedger, Two_ends_with_success_are_one_too_many) {
    repeat();
    ledger.ends.push_back({.job = "a", .token = 2, .at = at(21ms)});
    EXPECT_THAT(findings().done_twice, SizeIs(1));
}

TEST_F(CheckLedger, An_end_that_its_run_had_not_reached_was_written_by_another) {
    ledger.ends[0].at = at(15ms);
    EXPECT_THAT(findings().stale, SizeIs(1));
    ledger.runs[0].ended.reset();
    ledger.ends[0].at = at(50ms);
    EXPECT_THAT(findings().stale, SizeIs(1));
}

TEST_F(CheckLedger, A_job_that_was_given_back_before_it_began_has_not_ended) {
    repeat();
    ledger.runs.erase(ledger.runs.begin());
    ledger.ends.push_back({.job = "a", .token = 2, .at = at(21ms)});
    EXPECT_TRUE(findings().are_none());
    ledger.runs.clear();
    EXPECT_THAT(findings().lost, SizeIs(1));
}

TEST_F(CheckLedger, Exclusive_runs_of_an_instance_may_not_overlap) {
    overlap();
    EXPECT_THAT(findings().overlaps, SizeIs(1));
    ledger.runs[1].began = at(20ms);
    EXPECT_TRUE(findings().are_none());
}

TEST_F(CheckLedger, A_long_run_overlaps_with_all_that_begin_in_it) {
    overlap();
    ledger.runs[0].ended = at(100ms);
    ledger.ends[0].at = at(100ms);
    ledger.jobs.emplace_back("c");
    ledger.runs.push_back(a_run("c", 2, 1, 50ms, 60ms));
    ledger.runs[2].instance = "i";
    ledger.ends.push_back({.job = "c", .token = 2, .at = at(61ms)});
    EXPECT_THAT(findings().overlaps, SizeIs(2));
}

TEST_F(CheckLedger, A_run_ends_with_its_node) {
    overlap();
    ledger.runs[0].ended.reset();
    ledger.nodes[0].died = at(12ms);
    EXPECT_TRUE(findings().overlaps.empty());
    ledger.nodes[0].died = at(16ms);
    EXPECT_THAT(findings().overlaps, SizeIs(1));
}

TEST_F(CheckLedger, A_run_that_lost_its_lock_while_it_was_frozen_counts_up_to_the_freeze) {
    overlap();
    ledger.nodes[0].frozen = {{.from = at(12ms), .until = at(18ms)}};
    EXPECT_THAT(findings().overlaps, SizeIs(1)) << "its end was taken, so it had its lock";
    ledger.ends.erase(ledger.ends.begin());
    EXPECT_TRUE(findings().overlaps.empty());
}

TEST_F(CheckLedger, An_attempt_more_than_there_were_failures_is_a_retry_used_by_a_fault) {
    ledger.runs[0].attempt = 2;
    EXPECT_THAT(findings().retries_used, SizeIs(1));
}

TEST_F(CheckLedger, The_run_after_a_failure_is_a_second_attempt_and_no_repeat) {
    repeat();
    ledger.runs[0].failed = true;
    ledger.runs[1].attempt = 2;
    ledger.ends.push_back({.job = "a", .token = 2, .at = at(21ms)});
    EXPECT_TRUE(findings().are_none());
    EXPECT_EQ(findings().repeats, 0U);
}

TEST_F(CheckLedger, A_failure_that_the_database_did_not_take_counts_for_nothing) {
    repeat();
    ledger.runs[0].failed = true;
    ledger.runs[1].attempt = 2;
    EXPECT_THAT(findings().retries_used, SizeIs(1));
}

TEST_F(CheckLedger, A_repeat_wants_an_explanation) {
    repeat();
    EXPECT_EQ(findings().repeats, 1U);
    EXPECT_THAT(findings().unexplained, SizeIs(1));
    ledger.nodes[1].died = at(30ms);
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "that was the other node";
    ledger.nodes[0].died = at(30ms);
    EXPECT_THAT(findings().unexplained, SizeIs(0));
    ledger.nodes[0] = NodeOutcome{.frozen = {{.from = at(5ms), .until = at(90ms)}}};
    EXPECT_THAT(findings().unexplained, SizeIs(0));
    ledger.runs[1].began = at(5s);
    ledger.runs[1].ended = at(6s);
    ledger.ends = {{.job = "a", .token = 4, .at = at(7s)}};
    ledger.runs[0].began = at(3s);
    ledger.runs[0].ended = at(4s);
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "that was long before";
    ledger.nodes[0].frozen[0].until = at(2999ms);
    EXPECT_THAT(findings().unexplained, SizeIs(0)) << "it stood still before its first line";
    ledger.nodes[0] = {.declared_dead = {at(90ms)}};
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "that was long before";
    ledger.nodes[0] = {.declared_dead = {at(2999ms)}};
    EXPECT_THAT(findings().unexplained, SizeIs(0)) << "it had not found out yet";
    ledger.nodes[0] = {.declared_dead = {at(4s)}};
    EXPECT_THAT(findings().unexplained, SizeIs(0));
    EXPECT_EQ(findings().ended_leases, 1U);
    EXPECT_EQ(findings().ended_leases_of_living, 1U);
    ledger.nodes[0] = {};
    ledger.outages = {{.from = at(5ms), .until = at(2999ms)}};
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "that was before";
    ledger.outages = {{.from = at(5ms), .until = at(3s)}};
    EXPECT_THAT(findings().unexplained, SizeIs(0));
}

TEST_F(CheckLedger, A_transactional_handler_may_begin_anew_under_the_same_lock) {
    ledger.runs.push_back(a_run("a", 2, 0, 100ms, 110ms));
    ledger.ends = {{.job = "a", .token = 2, .at = at(111ms)}};
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "no other handler does";
    ledger.transactional = {"a"};
    ledger.effects = {{.job = "a", .token = 2}};
    EXPECT_TRUE(findings().are_none());
    EXPECT_EQ(findings().repeats, 0U);
    EXPECT_EQ(findings().begun_anew, 1U);
    ledger.runs[1].node = 1;
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "that is another run";
}

TEST_F(CheckLedger, A_transactional_handler_may_have_waited_for_a_frozen_node) {
    repeat();
    ledger.transactional = {"a"};
    ledger.effects = {{.job = "a", .token = 4}};
    ledger.ends.push_back({.job = "a", .token = 2, .at = at(60ms)});
    EXPECT_THAT(findings().unexplained, SizeIs(1));
    ledger.nodes[1].frozen = {{.from = at(5ms), .until = at(90ms)}};
    EXPECT_TRUE(findings().are_none());
    ledger.transactional.clear();
    EXPECT_THAT(findings().unexplained, SizeIs(1)) << "no other handler waits";
}

TEST_F(CheckLedger, Who_died_or_stood_still_was_not_ended_leases_of_living) {
    ledger.nodes[0] = {.process = 7, .died = at(30ms)};
    ledger.nodes[1] = {.process = 8, .frozen = {{.from = at(5ms), .until = at(90ms)}}};
    ledger.add_end_of_lease(7, at(40ms));
    ledger.add_end_of_lease(8, at(40ms));
    EXPECT_EQ(findings().ended_leases_of_living, 0U);
    ledger.add_end_of_lease(8, at(95ms));
    EXPECT_EQ(findings().ended_leases_of_living, 1U);
}

TEST_F(CheckLedger, A_transactional_handler_has_one_effect_with_the_end_that_counts) {
    ledger.transactional = {"a"};
    EXPECT_THAT(findings().effects, SizeIs(1));
    ledger.effects = {{.job = "a", .token = 2}};
    EXPECT_TRUE(findings().are_none());
    ledger.effects = {{.job = "a", .token = 1}};
    EXPECT_THAT(findings().effects, SizeIs(1));
    ledger.effects = {{.job = "a", .token = 2}, {.job = "a", .token = 2}};
    EXPECT_THAT(findings().effects, SizeIs(1));
}

TEST_F(CheckLedger, A_transactional_handler_whose_commit_failed_has_not_ended_its_job) {
    repeat();
    ledger.transactional = {"a"};
    ledger.outages = {{.from = at(15ms), .until = at(25ms)}};
    ledger.ends.push_back({.job = "a", .token = 2, .at = at(21ms)});
    ledger.effects = {{.job = "a", .token = 4}};
    EXPECT_TRUE(findings().are_none());
}

TEST_F(CheckLedger, Lines_are_read_as_they_were_written_and_half_ones_not_at_all) {
    const test::Entry began{.at = at(10ms), .job = "a", .token = 2, .instance = "i"};
    const test::Entry failed{.mark = test::Mark::failed, .at = at(20ms), .job = "a", .token = 2};
    const std::string text = line_of(began) + line_of(failed);
    std::istringstream lines(text + text.substr(0, 12));
    const std::vector<test::Entry> entries = test::read_entries(lines);
    EXPECT_THAT(entries, testing::ElementsAre(began, failed));
    Ledger read;
    read.add_runs(7, entries);
    ASSERT_THAT(read.runs, SizeIs(1));
    EXPECT_EQ(read.runs[0].node, 7U);
    EXPECT_EQ(read.runs[0].ended, at(20ms));
    EXPECT_TRUE(read.runs[0].failed);
}

}  // namespace
}  // namespace jobstrand
