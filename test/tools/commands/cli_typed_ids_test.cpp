#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

/// A list with `-o name` feeds the next command: every verb that takes many names reads them from
/// stdin as well.
class CliTypedIds : public CliTest {
protected:
    void add_series(const std::string& key) {
        ok({"job", "add", "--type", "noop", "--series", key, "--group", "g", "--repeat", "R/PT1H"});
    }
};

TEST_F(CliTypedIds, Jobs_are_removed_and_cancelled) {
    add();
    add();
    ok({"job", "cancel", "-", "--reason", "x"}, ok({"job", "ls", "--limit", "1", "-o", "name"}));
    EXPECT_EQ(places(), "executable=1 dead=1");
    ok({"job", "rm", "-"}, ok({"job", "ls", "--place", "all", "-o", "name"}));
    EXPECT_EQ(places(), "");
}

TEST_F(CliTypedIds, The_beginning_of_an_id_with_dots_behind_it_names_the_job) {
    add({"--type", "noop", "--id", "invoice-17-first"});
    add({"--type", "noop", "--id", "invoice-17-second"});
    add({"--type", "noop", "--id", "invoice-18", "--due", "2126-11-20T10:00Z"});
    EXPECT_THAT(ok({"job", "show", "invoice-17-f…"}), HasSubstr("invoice-17-first"));
    EXPECT_THAT(ok({"timer", "show", "invoice-18..."}), HasSubstr("invoice-18"));
    const CliResult several = run({"job", "rm", "invoice-17-...", "invoice-18"});
    EXPECT_EQ(several.code, ExitCode::wrong_usage);
    EXPECT_THAT(several.err, HasSubstr("such as invoice-17-first and invoice-17-second"));
    EXPECT_EQ(run({"job", "rm", "invoice-2..."}).code, ExitCode::not_found);
    EXPECT_EQ(places(), "executable=2 timer=1");
    ok({"job", "rm", "invoice-17-s...", "invoice-18"});
    EXPECT_EQ(ok({"job", "ls", "-o", "name"}), "invoice-17-first\n");
}

// "order-1" that has run must not mean "order-17".
TEST_F(CliTypedIds, A_beginning_without_dots_names_nothing) {
    add({"--type", "noop", "--id", "order-17"});
    EXPECT_EQ(run({"job", "rm", "order-1"}).code, ExitCode::not_found);
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliTypedIds, Dead_letters_are_requeued_and_removed) {
    add_dead();
    add_dead();
    ok({"dead", "requeue", "-"}, ok({"dead", "ls", "--newest", "--limit", "1", "-o", "name"}));
    EXPECT_EQ(places(), "executable=1 dead=1");
    ok({"dead", "rm", "-"}, ok({"dead", "ls", "-o", "name"}));
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliTypedIds, Timers_are_rescheduled_fired_and_removed) {
    for (const char* const id : {"a", "b"}) {
        add({"--type", "noop", "--id", id, "--due", "2126-11-20T10:00Z"});
    }
    const std::string timers = ok({"timer", "ls", "-o", "name"});
    ok({"timer", "reschedule", "-", "--due", "2126-12-24T10:00Z"}, timers);
    EXPECT_EQ(field("b", "dueDate"), "\"2126-12-24T10:00:00.000Z\"");
    ok({"timer", "fire", "-"}, "a\n");
    EXPECT_EQ(places(), "executable=1 timer=1");
    ok({"timer", "rm", "-"}, "b\n");
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliTypedIds, Series_are_paused_resumed_fired_ended_and_removed) {
    add_series("a");
    add_series("b");
    const std::string all = ok({"series", "ls", "-o", "name"});
    EXPECT_EQ(all, "a\nb\n");
    ok({"series", "pause", "-"}, all);
    EXPECT_EQ(places(), "suspended=2");
    ok({"series", "resume", "-"}, all);
    ok({"series", "fire", "-"}, all);
    EXPECT_EQ(places(), "executable=2 timer=2");
    ok({"series", "end", "-"}, all);
    ok({"series", "rm", "-"}, all);
    EXPECT_EQ(ok({"series", "ls", "-o", "name"}), "");
}

TEST_F(CliTypedIds, Groups_are_paused_and_resumed) {
    add_series("a");
    const std::string groups = ok({"group", "ls", "-o", "name"});
    ok({"group", "pause", "-"}, groups);
    EXPECT_EQ(places(), "suspended=1");
    ok({"group", "resume", "-"}, groups);
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(CliTypedIds, Instances_and_definitions_are_suspended_and_activated) {
    add({"--type", "noop", "--instance", "ørder", "--definition", "注文"});
    for (const char* const noun : {"instance", "definition"}) {
        const std::string ids = ok({noun, "ls", "-o", "name"});
        ok({noun, "suspend", "-"}, ids);
        EXPECT_EQ(places(), "suspended=1");
        ok({noun, "activate", "-"}, ids);
        EXPECT_EQ(places(), "executable=1");
    }
}

TEST_F(CliTypedIds, Calendars_are_removed) {
    ok({"calendar", "set", "a", "weekly SAT"});
    ok({"calendar", "set", "b", "weekly SUN"});
    ok({"calendar", "rm", "-"}, ok({"calendar", "ls", "-o", "name"}));
    EXPECT_EQ(ok({"calendar", "ls", "-o", "name"}), "");
}

TEST_F(CliTypedIds, Nodes_are_drained_and_resumed) {
    engine().node_store().register_node(
        {.node = "web-1", .incarnation = "x"},
        {},
        engine().clock().now(),
        engine().clock().now() + std::chrono::hours(1)
    );
    const std::string nodes = ok({"node", "ls", "-o", "name"});
    EXPECT_EQ(nodes, "web-1\n");
    ok({"node", "drain", "-"}, nodes);
    EXPECT_THAT(ok({"node", "ls", "-o", "csv"}), HasSubstr("draining"));
    ok({"node", "resume", "-"}, nodes);
    EXPECT_THAT(ok({"node", "ls", "-o", "csv"}), Not(HasSubstr("draining")));
}

}  // namespace
}  // namespace jobstrand::test
