#include "test/fixtures/open_store.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class CliJobState : public CliTest {
protected:
    json state(const std::string& id, const std::string& name) {
        return json::parse(field(id, name));
    }
};

// R159
TEST_F(CliJobState, A_job_that_is_stored_suspended_says_why) {
    ok({"instance", "suspend", "order-17"});
    ok({"definition", "suspend", "shipping:3"});
    const CliResult added =
        run({"job", "add", "--type", "noop", "--instance", "order-17", "--definition", "shipping:3"}
        );
    EXPECT_THAT(added.err, HasSubstr("stored suspended: instance order-17 is suspended since 20"));
    EXPECT_THAT(added.err, HasSubstr("(definition activate)"));

    const std::string id = added.out.substr(0, added.out.size() - 1);
    const json by = state(id, "suspendedBy");
    ASSERT_EQ(by.size(), 2U);
    EXPECT_EQ(by[0]["scope"], "instance");
    EXPECT_EQ(by[1]["id"], "shipping:3");
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("instance order-17 is suspended since 20"));
}

TEST_F(CliJobState, A_turn_of_a_paused_group_says_so) {
    ok({"group", "pause", "nightly"});
    const CliResult added =
        run({"job", "add", "--type", "noop", "--repeat", "R/PT1H", "--group", "nightly"});
    EXPECT_THAT(added.err, HasSubstr("group nightly is suspended since 20"));
    EXPECT_THAT(added.err, HasSubstr("(group resume)"));
}

TEST_F(CliJobState, A_job_that_can_run_says_nothing) {
    const CliResult added = run({"job", "add", "--type", "noop", "--instance", "order-18"});
    EXPECT_THAT(added.err, IsEmpty());
    const std::string id = added.out.substr(0, added.out.size() - 1);
    for (const std::string name : {"suspendedBy", "waitsFor", "runsOn", "lockLeftMs"}) {
        EXPECT_EQ(field(id, name), "null") << name;
    }
}

TEST_F(CliJobState, A_running_job_says_where_and_how_long_its_lock_lasts) {
    const std::string id = add();
    ASSERT_EQ(
        engine()
            .executor_store()
            .acquire(
                {.owner = engine().lock_owner(),
                 .until = engine().clock().now() + std::chrono::hours(1)},
                std::vector<std::string>{"noop"},
                1
            )
            .size(),
        1U
    );
    EXPECT_EQ(state(id, "runsOn")["process"], ::getpid());
    const std::int64_t left = state(id, "lockLeftMs");
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 3'600'000);
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("process " + std::to_string(::getpid())));
}

TEST_F(CliJobState, A_job_that_has_been_running_for_long_says_since_when) {
    const std::string id = add();
    lock(id);
    EXPECT_EQ(field(id, "runningSince"), "null") << "it may still be queued";
    const std::int64_t revision = OpenStore(url())->jobs().find(id)->job.revision;
    const auto since = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
    engine().node_store().record_work(
        "a-node", {.runs = {{.id = id, .revision = revision, .since = since}}}
    );
    EXPECT_EQ(field(id, "runningSince"), "\"2026-11-20T00:00:00.000Z\"");
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("runningSince"));
}

TEST_F(CliJobState, A_job_that_runs_says_what_its_run_has_told) {
    const std::string id = add();
    lock(id);
    const schema::Job job = OpenStore(url())->jobs().find(id)->job;
    persistence::ToldRun run{
        .job = id,
        .revision = job.revision,
        .owner = job.lock_owner,
        .told = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20},
        .news = {.progress = 0.4, .note = "page 4", .lines = "one\ntwo\x1b[31m\n"}};
    engine().run_news_store().write_news({&run, 1}, {});
    const json news = state(id, "news");
    EXPECT_EQ(news["progress"], 0.4);
    EXPECT_EQ(news["note"], "page 4");
    EXPECT_EQ(news["told"], "2026-11-20T00:00:00.000Z");
    EXPECT_EQ(news["lines"], json({"one", "two\x1b[31m"}));
    const std::string shown = ok({"job", "show", id});
    EXPECT_THAT(shown, HasSubstr("40 %: page 4"));
    EXPECT_THAT(shown, testing::Not(HasSubstr("\x1b[31m")));
    run.revision += 1;
    engine().run_news_store().write_news({&run, 1}, {});
    EXPECT_THAT(ok({"job", "show", id}), testing::Not(HasSubstr("40 %"))) << "of another run";
}

TEST_F(CliJobState, Stats_by_type_tell_how_many_were_run_in_the_last_minute) {
    add({"--type", "noop"});
    const schema::TimePoint now = engine().clock().now();
    engine().node_store().register_node(
        {.node = "a-node", .incarnation = "1"}, {}, now, now + std::chrono::hours(1)
    );
    engine().node_store().record_work("a-node", {.last_minute = {{"mail", 1200, 7}}});
    const json stats = json::parse(ok({"stats", "--by-type", "-o", "json"}));
    ASSERT_EQ(stats.size(), 2U);
    EXPECT_EQ(stats[0]["handlerType"], "mail");
    EXPECT_EQ(stats[0]["jobs"], 0);
    EXPECT_EQ(stats[0]["runsLastMinute"], 1200);
    EXPECT_EQ(stats[0]["failedLastMinute"], 7);
    EXPECT_EQ(stats[1]["handlerType"], "noop");
    EXPECT_EQ(stats[1]["runsLastMinute"], 0);
}

TEST_F(CliJobState, A_waiting_exclusive_job_says_for_whom) {
    const auto take = [&](const std::string& owner) {
        (void)engine().executor_store().acquire(
            {.owner = owner, .until = engine().clock().now() + std::chrono::hours(1)},
            std::vector<std::string>{"noop"},
            1
        );
    };
    add({"--type", "noop", "--instance", "order-17"});
    take("web-1:4711:000000000000000000000000000000ab");
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    take("web-2:12:000000000000000000000000000000cd");
    EXPECT_EQ(
        state(second, "waitsFor"),
        json::parse(
            R"({"instance":"order-17","lockOwner":"web-1:4711:000000000000000000000000000000ab"})"
        )
    );
    EXPECT_EQ(field(second, "runsOn"), "null");
    EXPECT_EQ(field(second, "lockLeftMs"), "null");
    EXPECT_THAT(
        ok({"job", "show", second}),
        HasSubstr("an exclusive job of instance order-17, held by "
                  "web-1:4711:000000000000000000000000000000ab")
    );
}

TEST_F(CliJobState, A_cancelled_job_is_a_dead_letter_that_keeps_who_and_why) {
    environment_["USER"] = "ada";
    const std::string held = add();
    lock(held);
    const std::string waits = add({"--type", "noop", "--due-in", "P1D"});
    EXPECT_EQ(
        ok({"job", "cancel", "-", "--reason", "wrong file", "-o", "name"},
           held + "\n" + waits + "\n"),
        held + "\n" + waits + "\n"
    );
    EXPECT_EQ(places(), "dead=2");
    EXPECT_EQ(field(held, "exceptionMessage"), "\"cancelled by ada: wrong file\"");
    const CliResult again = run({"job", "cancel", held, "--by", "ada", "--reason", "x"});
    EXPECT_EQ(again.code, cli::ExitCode::not_found);
    EXPECT_EQ(again.err, "jobstrand: job " + held + " stands in place dead\n");
}

TEST_F(CliJobState, The_manual_shows_commands_that_work) {
    lock(add({"--type", "import"}));
    ok({"instance", "suspend", "order-17"});
    EXPECT_GE(run_document("docs/cli.md", "## Seeing"), 3);
    EXPECT_GE(run_document("docs/cli.md", "## Cancelling"), 1);
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(CliJobState, Set_moves_the_due_date_of_a_timer) {
    const std::string id = add({"--type", "noop", "--due-in", "P1D"});
    ok({"job", "set", id, "--due", "2037-01-02 10:00 Europe/Berlin", "--retries", "7"});
    EXPECT_EQ(field(id, "dueDate"), "\"2037-01-02T09:00:00.000Z\"");
    EXPECT_EQ(field(id, "retries"), "7");
    ok({"job", "set", id, "--due", "3 business days"});
    EXPECT_NE(field(id, "dueDate"), "\"2037-01-02T09:00:00.000Z\"");
    expect_wrong_usage(
        {"job", "set", id}, {{{}, "or when: --due TIME"}, {{"--due", "soon"}, "--due"}}
    );
}

TEST_F(CliJobState, Set_moves_one_turn_of_a_series_and_says_so) {
    const std::string id = add({"--type", "noop", "--series", "nightly", "--repeat", "R/PT1H"});
    const CliResult set = run({"job", "set", id, "--due", "2037-01-02T10:00Z"});
    EXPECT_EQ(set.code, cli::ExitCode::done);
    EXPECT_THAT(set.err, HasSubstr("only this turn of series nightly moves"));
}

TEST_F(CliJobState, Set_makes_a_timer_of_a_job_that_could_run) {
    const std::string id = add();
    ok({"job", "set", id, "--due", "2037-01-02T10:00Z", "--priority", "7"});
    EXPECT_EQ(places(), "timer=1");
    EXPECT_EQ(field(id, "dueDate"), "\"2037-01-02T10:00:00.000Z\"");
    EXPECT_EQ(field(id, "priority"), "7");
    const std::string external = add({"--type", "noop", "--external"});
    ok({"job", "set", external, "--due-in", "2h"});
    EXPECT_EQ(places(), "timer=2");
    ok({"timer", "fire", external});
    EXPECT_EQ(places(), "timer=1 external=1");
}

TEST_F(CliJobState, A_job_that_a_node_holds_gets_no_due_date_and_nothing_else_either) {
    const std::string id = add();
    lock(id);
    const CliResult set = run({"job", "set", id, "--due", "2h", "--priority", "7"});
    EXPECT_EQ(set.code, cli::ExitCode::refused);
    EXPECT_THAT(set.err, HasSubstr("a node holds job " + id));
    EXPECT_EQ(field(id, "priority"), "0");
}

TEST_F(CliJobState, A_job_that_waits_for_no_date_gets_none_and_nothing_else_either) {
    const std::string dead = add_dead();
    ok({"instance", "suspend", "i"});
    const std::string suspended = add({"--type", "noop", "--instance", "i"});
    for (const auto& [id, hint] :
         {std::pair(dead, "jobstrand dead requeue ID --due TIME"),
          std::pair(suspended, "activate what it belongs to first")}) {
        const CliResult set = run({"job", "set", id, "--due", "2h", "--priority", "7"});
        EXPECT_EQ(set.code, cli::ExitCode::refused);
        EXPECT_THAT(set.err, HasSubstr(hint));
        EXPECT_EQ(field(id, "priority"), "0");
    }
}

TEST_F(CliJobState, Instances_of_any_text_are_taken_by_every_verb) {
    const std::string id =
        add({"--type", "noop", "--instance", "注文-17", "--definition", "ørder"});
    EXPECT_EQ(ok({"job", "ls", "--instance", "注文-17", "-o", "name"}), id + "\n");
    EXPECT_EQ(ok({"instance", "ls", "-o", "name"}), "注文-17\n");
    EXPECT_EQ(ok({"definition", "ls", "-o", "name"}), "ørder\n");
    ok({"instance", "suspend", "注文-17"});
    ok({"definition", "suspend", "ørder"});
    EXPECT_EQ(places(), "suspended=1");
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("instance 注文-17 is suspended since"));
    ok({"instance", "activate", "-"}, "注文-17\n");
    ok({"definition", "activate", "ørder"});
    EXPECT_EQ(places(), "executable=1");
    ok({"job", "rm", "--instance", "注文-17", "--yes"});
    EXPECT_EQ(places(), "");
}

TEST_F(CliJobState, Who_cancels_says_why) {
    expect_wrong_usage(
        {"job", "cancel"},
        {{{"some-id"}, "--reason"},
         {{"some-id", "--reason", ""}, "--reason"},
         {{"some-id", "--reason", std::string(1001, 'x')}, "--reason has 1000 characters at most"},
         {{"--reason", "x"}, "ids"}}
    );
}

TEST_F(CliJobState, Stats_by_type_tell_places_ages_and_holders) {
    lock(add({"--type", "mail"}));
    add({"--type", "mail"});
    add({"--type", "mail", "--due-in", "P1D"});
    add({"--type", "noop"});
    const json lines = json::parse(ok({"stats", "--by-type", "-o", "json"}));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0]["handlerType"], "mail");
    EXPECT_EQ(lines[0]["place"], "executable");
    EXPECT_EQ(lines[0]["jobs"], 2);
    EXPECT_EQ(lines[0]["locked"], 1);
    EXPECT_EQ(lines[0]["lockedBy"][0]["jobs"], 1);
    EXPECT_THAT(lines[0]["oldest"].get<std::string>(), MatchesRegex("20.*Z"));
    EXPECT_EQ(lines[1]["place"], "timer");
    EXPECT_EQ(lines[2]["handlerType"], "noop");
    EXPECT_THAT(ok({"stats", "--by-type"}), HasSubstr("LOCKED BY"));
}

TEST_F(CliJobState, Definitions_are_listed_with_what_is_suspended) {
    add({"--type", "noop", "--definition", "shipping:3"});
    add({"--type", "noop", "--definition", "billing:1"});
    ok({"definition", "suspend", "shipping:3", "unused:1"});
    const json all = json::parse(ok({"definition", "ls", "-o", "json"}));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0]["id"], "billing:1");
    EXPECT_EQ(all[0]["suspended"], false);
    EXPECT_EQ(all[0]["suspendedSince"], nullptr);
    EXPECT_EQ(all[1]["places"], json::parse(R"({"suspended":1})"));
    EXPECT_THAT(all[1]["suspendedSince"].get<std::string>(), MatchesRegex("20.*Z"));
    EXPECT_EQ(ok({"definition", "ls", "--suspended", "-o", "name"}), "shipping:3\nunused:1\n");
    EXPECT_EQ(ok({"instance", "ls", "--suspended", "-o", "name"}), "");
    EXPECT_THAT(ok({"definition", "ls", "-o", "csv"}), HasSubstr("shipping:3,true,20"));
    ok({"definition", "activate", "-"}, ok({"definition", "ls", "--suspended", "-o", "name"}));
    EXPECT_EQ(places(), "executable=2");
}

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
