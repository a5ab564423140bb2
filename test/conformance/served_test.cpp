#include "persistence/migration/table_changes.hpp"
#include "persistence/node_store.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::JobKind;
using persistence::Lack;
using persistence::ServedJobs;
using persistence::UnservedJobs;
using schema::ServedScope;

/// What nodes take, and what nobody does (I7).
class Served : public StoreTest {
protected:
    void tell(std::string_view node, const std::vector<std::string>& types) {
        register_node(std::string(node), {types, needs_});
    }

    /// Acquires as a node that has these.
    std::vector<std::string> acquired(const std::vector<std::string>& needs) {
        return ids_of(store_.executor().acquire(claim_of("node-1"), {commands_, needs}, 100));
    }

    /// A command job of which a node has read what it needs.
    void insert_needing(const std::string& id, const std::string& needs) {
        const Job held = insert_and_acquire(a_job(id));
        expect_done(outcome_of(held, schema::not_served(held, needs)));
    }

    std::vector<UnservedJobs> unserved() {
        return store_.served().unserved(clock_.now(), persistence::kAllRows);
    }

    Lack lacking(const JobKind& kind) { return store_.served().lacking(kind, clock_.now()); }

    std::vector<std::string> needs_;
    const std::vector<std::string> commands_{"noop"};
};

ON_EVERY_DATABASE(Served);

TEST_P(Served, A_job_that_needs_something_is_taken_only_by_who_has_it) {
    insert(a_job("plain"));
    ASSERT_THAT(acquired({}), ElementsAre("plain"));
    insert_needing("a", "[commands.a]");
    insert_needing("b", "[commands.b]");
    EXPECT_THAT(acquired({}), IsEmpty());
    EXPECT_FALSE(store_.executor().has_acquirable(ServedJobs(commands_)));
    EXPECT_THAT(acquired({"[commands.c]"}), IsEmpty());
    const std::vector<std::string> has{"[commands.b]", "[commands.c]"};
    EXPECT_TRUE(store_.executor().has_acquirable({commands_, has}));
    EXPECT_THAT(acquired(has), ElementsAre("b"));
    EXPECT_THAT(acquired({"[commands.a]"}), ElementsAre("a"));
}

TEST_P(Served, A_job_whose_need_is_not_known_yet_is_taken_to_find_out) {
    insert(a_job("a"));
    EXPECT_THAT(acquired({"[commands.b]"}), ElementsAre("a"));
}

TEST_P(Served, A_node_that_lacks_what_a_job_needs_gives_it_back_unharmed) {
    const Job held = insert_and_acquire(a_job("a"));
    expect_done(outcome_of(held, schema::not_served(held, "[commands.a]")));
    const Job freed = job("a");
    EXPECT_EQ(freed.needs, "[commands.a]");
    EXPECT_EQ(freed.revision, held.revision + 1);
    EXPECT_TRUE(freed.lock_owner.empty());
    EXPECT_EQ(freed.lock_expiration, std::nullopt);
    EXPECT_EQ(freed.retries, 3);
    EXPECT_EQ(freed.attempts, 0);
    EXPECT_EQ(freed.exception_message, "");
}

TEST_P(Served, Jobs_that_need_different_things_are_given_back_in_one_transaction) {
    insert(many_jobs("j", 6));
    std::vector<Outcome> outcomes;
    for (const Job& held : acquire()) {
        const bool is_even = outcomes.size() % 2 == 0;
        outcomes.push_back(outcome_of(held, schema::not_served(held, is_even ? "even" : "odd")));
    }
    outcomes.back() = completed_outcome(*outcomes.back().job);
    EXPECT_THAT(apply(outcomes), Each(OutcomeAnswer::done));
    EXPECT_EQ(job("j000").needs, "even");
    EXPECT_EQ(job("j001").needs, "odd");
    EXPECT_EQ(job("j004").needs, "even");
    EXPECT_EQ(place_of("j005"), "nowhere");
}

TEST_P(Served, A_lost_lock_keeps_a_node_from_saying_what_a_job_needs) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    EXPECT_THAT(
        apply({outcome_of(held, schema::not_served(held, "x"))}, "node-2"),
        ElementsAre(OutcomeAnswer::lost_lock)
    );
    EXPECT_EQ(job("a"), held);
}

TEST_P(Served, A_new_payload_may_need_something_else) {
    insert_needing("a", "[commands.a]");
    const persistence::JobChanges changes{schema::set_to(&Job::payload, R"({"command":"b"})")};
    ASSERT_EQ(change(JobPlace::executable, "a", changes), JobAnswer::done);
    EXPECT_EQ(job("a").needs, "");
    EXPECT_THAT(acquired({}), ElementsAre("a"));
}

TEST_P(Served, A_job_that_leaves_its_place_begins_anew) {
    insert_needing("a", "[commands.a]");
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'i' WHERE ID_ = 'a'");
    ASSERT_EQ(suspend(SuspensionScope::instance, "i"), 1);
    ASSERT_EQ(activate(SuspensionScope::instance, "i"), 1);
    EXPECT_EQ(job("a").needs, "");
}

TEST_P(Served, Jobs_of_a_type_that_no_node_serves_are_counted_by_type) {
    tell("node-1", {"mail", "noop"});
    insert(a_job("a"));
    insert(a_job("b").of_type("emial"));
    insert(a_job("c").of_type("emial"));
    EXPECT_THAT(
        unserved(), ElementsAre(UnservedJobs{.kind = {.handler_type = "emial"}, .jobs = 2})
    );
    EXPECT_EQ(lacking({.handler_type = "emial"}), Lack::handler_type);
    EXPECT_EQ(lacking({.handler_type = "mail"}), Lack::nothing);
}

TEST_P(Served, Jobs_that_need_what_no_node_has_are_counted_by_need) {
    insert_needing("a", "[commands.a]");
    insert_needing("b", "[commands.b]");
    insert(a_job("c"));
    needs_ = {"[commands.b]"};
    tell("node-1", {"noop"});
    EXPECT_THAT(
        unserved(),
        ElementsAre(UnservedJobs{
            .kind = {.handler_type = "noop", .needs = "[commands.a]"}, .jobs = 1})
    );
}

TEST_P(Served, Type_and_need_must_be_served_by_the_same_node) {
    needs_ = {"x"};
    tell("node-1", {"mail"});
    needs_.clear();
    tell("node-2", {"noop"});
    EXPECT_EQ(lacking({.handler_type = "noop", .needs = "x"}), Lack::needs);
    needs_ = {"x"};
    tell("node-2", {"noop"});
    EXPECT_EQ(lacking({.handler_type = "noop", .needs = "x"}), Lack::nothing);
}

TEST_P(Served, A_locked_job_is_served_by_whoever_holds_it) {
    insert_and_acquire(a_job("a"));
    EXPECT_THAT(unserved(), IsEmpty());
}

TEST_P(Served, A_node_whose_lease_is_over_serves_nothing) {
    tell("node-1", {"noop"});
    clock_.tick(10s);
    EXPECT_EQ(lacking({.handler_type = "noop"}), Lack::nothing);
    clock_.tick(1ms);
    EXPECT_EQ(lacking({.handler_type = "noop"}), Lack::handler_type);
    tell("node-1", {"noop"});
    EXPECT_EQ(lacking({.handler_type = "noop"}), Lack::nothing);
}

TEST_P(Served, A_node_that_stops_serves_nothing_at_once) {
    tell("node-1", {"noop"});
    tell("node-2", {"mail"});
    store_.nodes().record_served("node-1", {});
    EXPECT_EQ(lacking({.handler_type = "noop"}), Lack::handler_type);
    EXPECT_EQ(lacking({.handler_type = "mail"}), Lack::nothing);
}

TEST_P(Served, A_look_at_a_long_table_ends_where_it_is_told_to) {
    insert(many_jobs("j", 10));
    const auto seen = store_.served().unserved(clock_.now(), 4);
    EXPECT_THAT(seen, ElementsAre(UnservedJobs{.kind = {.handler_type = "noop"}, .jobs = 4}));
}

/// Nodes that take only some jobs of their types (R100, R102, I7).
class Scopes : public StoreTest {
protected:
    static ServedJobs within(ServedScope scope) { return {{"noop"}, {}, std::move(scope)}; }

    static std::vector<Job> one_of_each() {
        Job mail = a_job("mail");
        mail.category = "mail";
        return {
            a_job("plain"),
            mail,
            a_job("acme").of_tenant("acme"),
            a_job("invoice").of_definition("invoice:1")};
    }

    std::vector<std::string> acquired(const ServedScope& scope) {
        EXPECT_EQ(store_.executor().has_acquirable(within(scope)), true);
        auto ids = ids_of(store_.executor().acquire(claim_of("node-1"), within(scope), 100));
        EXPECT_FALSE(store_.executor().has_acquirable(within(scope)));
        return ids;
    }

    void live(std::string_view node, ServedScope scope) {
        register_node(std::string(node), within(std::move(scope)));
    }

    std::vector<UnservedJobs> unserved() {
        return store_.served().unserved(clock_.now(), persistence::kAllRows);
    }

    Lack lacking(const Job& job) {
        return store_.served().lacking(persistence::kind_of(job), clock_.now());
    }
};

ON_EVERY_DATABASE(Scopes);

TEST_P(Scopes, Others_see_what_a_node_is_set_not_to_fetch) {
    live("both", {});
    ServedJobs neither = within({.tenants = {"acme"}});
    neither.fetching = {.jobs = false, .timers = false};
    register_node("neither", neither);
    std::vector<persistence::Node> nodes = store_.nodes().nodes();
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].fetching, persistence::Fetching());
    EXPECT_EQ(nodes[1].fetching, neither.fetching);
    EXPECT_THAT(nodes[1].scope.tenants, ElementsAre("acme"));
    store_.nodes().record_served("neither", within({}));
    EXPECT_EQ(store_.nodes().nodes()[1].fetching, persistence::Fetching());
}

TEST_P(Scopes, Only_jobs_inside_are_acquired) {
    insert(one_of_each());
    EXPECT_THAT(acquired({.categories = {"mail", "post"}}), ElementsAre("mail"));
    EXPECT_THAT(acquired({.tenants = {"acme"}}), ElementsAre("acme"));
    EXPECT_THAT(acquired({.definitions = {"invoice:1"}}), ElementsAre("invoice"));
    EXPECT_THAT(acquired({.categories = {""}}), ElementsAre("plain"));
}

TEST_P(Scopes, The_empty_value_stands_for_jobs_without_one) {
    insert(one_of_each());
    execute("UPDATE ACT_RU_JOB SET CATEGORY_ = '' WHERE ID_ = 'plain'");
    const ServedScope scope{.categories = {"", "mail"}, .tenants = {""}, .definitions = {""}};
    EXPECT_THAT(acquired(scope), UnorderedElementsAre("mail", "plain"));
}

TEST_P(Scopes, Orders_keep_to_them) {
    EXPECT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    insert(one_of_each());
    const ServedJobs served = within({.tenants = {"acme"}});
    const auto jobs = store_.executor().acquire_in_order(
        claim_of("node-1"), served, {.by_priority = true}, 100, {}
    );
    EXPECT_THAT(ids_of(jobs), ElementsAre("acme"));
    // The tables of a server are those of the next test.
    EXPECT_TRUE(persistence::drop_index(*connection_, schema::kPriorityIndex));
}

TEST_P(Scopes, A_due_timer_outside_arrives_free_for_others) {
    std::vector<Job> timers = one_of_each();
    for (Job& timer : timers) {
        timer.due_date = clock_.now() + (timer.id == "mail" ? 0ms : 1ms);
    }
    insert(JobPlace::timer, timers);
    const ServedJobs served = within({.categories = {"mail"}});
    const auto others = store_.timers().next_due_of_others(served, {}, clock_.now() + 5s);
    EXPECT_EQ(others, clock_.now() + 1ms);
    clock_.tick(1ms);
    const auto due = store_.timers().move_due_timers(clock_.now(), 10, claim_of("node-1"), served);
    EXPECT_EQ(due.moved, 4U);
    EXPECT_THAT(ids_of(due.locked), ElementsAre("mail"));
    EXPECT_TRUE(job("plain").lock_owner.empty());
}

TEST_P(Scopes, Timers_of_others_are_those_outside_also_without_any_value) {
    std::vector<Job> timers = one_of_each();
    for (Job& timer : timers) {
        timer.due_date = clock_.now();
    }
    insert(JobPlace::timer, timers);
    persistence::DueWindow window{clock_.now()};
    window.are_served_left = true;
    const ServedJobs served = within({.categories = {"mail", ""}, .tenants = {"acme", ""}});
    EXPECT_EQ(store_.timers().move_due_timers(window, 10, std::nullopt, served).moved, 0U);
    const ServedJobs mails = within({.categories = {"mail"}});
    EXPECT_EQ(store_.timers().move_due_timers(window, 10, std::nullopt, mails).moved, 3U);
    EXPECT_EQ(place_of("mail"), "timer");
}

TEST_P(Scopes, Jobs_outside_of_all_are_counted_by_what_nodes_are_limited_to) {
    live("node-1", {.categories = {"mail"}});
    live("node-2", {.priority_min = 5, .priority_max = 9});
    insert(one_of_each());
    EXPECT_THAT(
        unserved(),
        ElementsAre(UnservedJobs{.kind = {.handler_type = "noop", .priority = 0}, .jobs = 3})
    );
    EXPECT_EQ(lacking(a_job("plain")), Lack::scope);
    EXPECT_EQ(lacking(a_job("important").with_priority(5)), Lack::nothing);
    live("node-2", {});
    EXPECT_THAT(unserved(), IsEmpty());
}

TEST_P(Scopes, Are_listed_with_their_nodes_and_go_with_them) {
    const ServedScope scope{
        .priority_min = -3,
        .priority_max = 9,
        .categories = {"", "mail"},
        .definitions = {"invoice:1"}};
    live("node-1", scope);
    ASSERT_THAT(store_.nodes().nodes(), SizeIs(1));
    EXPECT_EQ(store_.nodes().nodes().front().scope, scope);
    store_.nodes().record_served("node-1", within({}));
    EXPECT_TRUE(schema::is_all(store_.nodes().nodes().front().scope));
    live("node-1", scope);
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_SCOPE"), 0);
}

}  // namespace

}  // namespace jobstrand::test
