#include "executor/job_handler.hpp"
#include "executor/manual_run.hpp"
#include "executor/node_presence.hpp"
#include "executor/served_here.hpp"
#include "schema/clock.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::executor {

namespace {

using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Return;
using namespace std::chrono_literals;
using Waiting = std::vector<persistence::UnservedJobs>;

HandlerResult succeed(const JobContext&) {
    return Succeeded{};
}

HandlerResult succeed_in(const JobContext&, persistence::Transaction&) {
    return Succeeded{};
}

TEST(HandlerRegistry, Types_are_listed_in_alphabetical_order) {
    HandlerRegistry handlers;
    EXPECT_THAT(handlers.types(), IsEmpty());
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    handlers.add("Zip", succeed);
    EXPECT_THAT(handlers.types(), ElementsAre("Zip", "bill", "mail"));
}

TEST(HandlerRegistry, It_tells_whose_runs_do_not_end_with_the_return_of_the_handler) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    EXPECT_THAT(handlers.types_that_end_elsewhere(), ElementsAre("bill"));
}

TEST(HandlerRegistry, A_type_is_found_as_what_it_was_added_as) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    ASSERT_NE(handlers.find("mail"), nullptr);
    EXPECT_TRUE(std::holds_alternative<JobHandler>(*handlers.find("mail")));
    EXPECT_TRUE(std::holds_alternative<TransactionalJobHandler>(*handlers.find("bill")));
    EXPECT_EQ(handlers.find("Mail"), nullptr) << "letters count as they are";
    EXPECT_EQ(handlers.find(""), nullptr);
}

TEST(HandlerRegistry, A_type_has_one_handler_of_either_kind) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    EXPECT_THROW(handlers.add("mail", succeed), std::invalid_argument);
    EXPECT_THROW(handlers.add_transactional("mail", succeed_in), std::invalid_argument);
    EXPECT_TRUE(std::holds_alternative<JobHandler>(*handlers.find("mail"))) << "the first stays";
}

// R101
TEST(HandlerRegistry, A_removed_type_is_gone_and_its_run_under_way_goes_on) {
    HandlerRegistry handlers;
    int runs = 0;
    handlers.add("mail", [&runs](const JobContext&) -> HandlerResult {
        ++runs;
        return Succeeded{};
    });
    const auto under_way = handlers.find("mail");
    EXPECT_TRUE(handlers.remove("mail"));
    EXPECT_FALSE(handlers.remove("mail"));
    EXPECT_EQ(handlers.find("mail"), nullptr);
    EXPECT_THAT(handlers.types(), IsEmpty());
    const schema::Job job;
    (void)std::get<JobHandler> (*under_way)({.job = job, .attempt = 1, .deadline = {}, .stop = {}});
    EXPECT_EQ(runs, 1);
    handlers.add("mail", succeed);
    EXPECT_THAT(handlers.types(), ElementsAre("mail"));
}

TEST(HandlerRegistry, A_replaced_handler_runs_what_begins_later) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed, {.of = {}, .here = {"old"}});
    const auto under_way = handlers.find("mail");
    handlers.replace(
        "mail",
        JobHandler([](const JobContext&) -> HandlerResult { return Failed{.message = "new"}; }),
        {.of = {}, .here = {"new"}}
    );
    EXPECT_THAT(handlers.needs(), ElementsAre("new"));
    const schema::Job job;
    const auto run = [&job](const auto& handler) {
        return std::get<JobHandler>(*handler)({.job = job, .deadline = {}, .stop = {}});
    };
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(under_way)));
    EXPECT_TRUE(std::holds_alternative<Failed>(run(handlers.find("mail"))));
    EXPECT_THROW(handlers.replace("bill", JobHandler(succeed), {}), std::invalid_argument);
}

TEST(HandlerRegistry, A_type_fits_its_column) {
    HandlerRegistry handlers;
    EXPECT_THROW(handlers.add("", succeed), std::invalid_argument);
    const std::string longest(schema::limits::kNameLength, 'x');
    handlers.add(longest, succeed);
    EXPECT_THROW(handlers.add(longest + "x", succeed), std::invalid_argument);
    EXPECT_THAT(handlers.types(), ElementsAre(longest));
}

// R006
TEST(ObstacleToRun, Only_an_executable_job_of_a_known_type_can_be_run_by_hand) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    using schema::JobPlace;
    const struct {
        JobPlace place;
        std::string type;
        RunObstacle obstacle;
    } cases[] = {
        {JobPlace::executable, "mail", RunObstacle::none},
        {JobPlace::executable, "fax", RunObstacle::unknown_type},
        {JobPlace::timer, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::suspended, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::dead_letter, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::external_worker, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::timer, "fax", RunObstacle::stands_elsewhere},
    };
    for (const auto& [place, type, obstacle] : cases) {
        EXPECT_EQ(
            obstacle_to_run({.place = place, .job = a_job("a").of_type(type)}, handlers), obstacle
        ) << schema::name_of(place)
          << " " << type;
    }
}

/// A registry whose type "tool" needs what the payload says.
class HandlerRegistryNeeds : public testing::Test {
protected:
    explicit HandlerRegistryNeeds() {
        registry.add("mail", succeed);
        registry.add(
            "tool",
            succeed,
            {.of = [](const schema::Job& job) { return job.payload; }, .here = {"saw", "axe"}}
        );
    }

    static schema::Job needing(std::string tool) {
        return a_job("a").of_type("tool").with_payload(std::move(tool));
    }

    HandlerRegistry registry;
};

TEST_F(HandlerRegistryNeeds, What_is_here_of_all_types_is_one_sorted_list) {
    registry.add("pen", succeed, {.of = nullptr, .here = {"ink"}});
    EXPECT_THAT(registry.needs(), ElementsAre("axe", "ink", "saw"));
    EXPECT_THAT(HandlerRegistry().needs(), IsEmpty());
    EXPECT_THAT(registry.types(), ElementsAre("mail", "pen", "tool"));
}

TEST_F(HandlerRegistryNeeds, A_job_lacks_what_it_needs_and_is_not_here) {
    EXPECT_EQ(registry.lacks(needing("saw")), "");
    EXPECT_EQ(registry.lacks(needing("drill")), "drill");
    EXPECT_EQ(registry.need_of(needing("saw")), "saw");
}

TEST_F(HandlerRegistryNeeds, A_job_that_names_nothing_can_run_anywhere) {
    EXPECT_EQ(registry.lacks(needing("")), "");
}

TEST_F(HandlerRegistryNeeds, Other_types_need_nothing_whatever_their_payload) {
    EXPECT_EQ(registry.lacks(a_job("a").of_type("mail").with_payload("drill")), "");
    EXPECT_EQ(registry.lacks(a_job("a").of_type("unknown").with_payload("drill")), "");
}

TEST_F(HandlerRegistryNeeds, One_look_tells_a_job_s_handler_and_what_it_lacks) {
    const HandlerRegistry::Match lacking = registry.match(needing("drill"));
    EXPECT_NE(lacking.handler, nullptr);
    EXPECT_EQ(lacking.lack, "drill");
    EXPECT_EQ(registry.match(needing("saw")).lack, "");
    EXPECT_EQ(registry.match(a_job("a").of_type("unknown")).handler, nullptr);
}

TEST_F(HandlerRegistryNeeds, Whatever_a_payload_names_can_be_stored) {
    EXPECT_EQ(registry.lacks(needing("\xff")), "\xEF\xBF\xBD");
    EXPECT_EQ(registry.lacks(needing(std::string(1000, 'x'))).size(), schema::limits::kNameLength);
}

TEST_F(HandlerRegistryNeeds, A_type_cannot_be_added_twice_with_needs_or_without) {
    EXPECT_THROW(registry.add("tool", succeed), std::invalid_argument);
    EXPECT_THROW(registry.add("mail", succeed, {}), std::invalid_argument);
}

class UnservedJobsTest : public testing::Test {
protected:
    UnservedJobsTest() { lease.hold_until(clock.steady_now() + 24h); }

    /// What the store says from now on that nobody serves.
    void nobody_serves(Waiting jobs) {
        ON_CALL(store, unserved(_, _)).WillByDefault(Return(std::move(jobs)));
    }

    std::ptrdiff_t lines() const { return log.count(schema::LogLevel::warn, "nobody here serves"); }

    NiceMock<test::MockServedStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    NodeLease lease;
    UnservedJobs unserved{store, clock, log, nullptr, nullptr, [this] {
                              return lease.sees_others(clock.steady_now());
                          }};
};

TEST_F(UnservedJobsTest, Says_once_an_hour_what_nobody_serves_for_each_kind) {
    nobody_serves(
        {{.kind = {.handler_type = "command", .needs = "[commands.x]"}, .jobs = 1000},
         {.kind = {.handler_type = "emial"}, .jobs = 2}}
    );
    (void)unserved.run_once();
    ASSERT_EQ(lines(), 2);
    EXPECT_EQ(
        log.lines()[0].fields,
        "handler_type=command needs=[commands.x] jobs=1000 category= tenant= definition= "
    );
    clock.tick(59min);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 2);
    clock.tick(1min);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 4);
}

// It reads past everything that the database keeps of deleted rows.
TEST_F(UnservedJobsTest, Looks_for_a_twentieth_of_the_time_at_most) {
    EXPECT_CALL(store, unserved(_, _)).WillOnce([&](auto, auto) {
        clock.tick(1s);
        return Waiting{};
    });
    EXPECT_EQ(unserved.run_once(), 20s);
    EXPECT_EQ(unserved.run_once(), 20s) << "it was woken, and that was no use";
    clock.tick(19s);
    EXPECT_CALL(store, unserved(_, _)).WillOnce(Return(Waiting{}));
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(UnservedJobsTest, Says_a_new_kind_at_once) {
    nobody_serves({{.kind = {.handler_type = "a"}, .jobs = 1}});
    (void)unserved.run_once();
    nobody_serves(
        {{.kind = {.handler_type = "a"}, .jobs = 5}, {.kind = {.handler_type = "b"}, .jobs = 1}}
    );
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 2);
    EXPECT_EQ(
        log.lines().back().fields, "handler_type=b needs= jobs=1 category= tenant= definition= "
    );
}

TEST_F(UnservedJobsTest, Says_nothing_while_the_leases_of_those_who_live_may_be_over) {
    nobody_serves({{.kind = {.handler_type = "mine"}, .jobs = 1}});
    lease.hold_until(clock.steady_now());
    EXPECT_CALL(store, unserved(_, _)).Times(0);
    EXPECT_EQ(unserved.run_once(), 10s) << "its own is over, so it sees nobody who serves them";
    lease.see_others_from(clock.steady_now() + 9s);
    lease.hold_until(clock.steady_now() + 1h);
    (void)unserved.run_once();
    testing::Mock::VerifyAndClearExpectations(&store);
    nobody_serves({{.kind = {.handler_type = "gone"}, .jobs = 1}});
    clock.tick(9s);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 1);
}

TEST_F(UnservedJobsTest, Says_nothing_while_everything_is_served) {
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 0);
}

}  // namespace

}  // namespace jobstrand::executor
