#include "persistence/migration/table_changes.hpp"
#include "persistence/node_store.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::Lack;
using persistence::ServedJobs;
using persistence::UnservedJobs;
using schema::ServedScope;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Nodes that take only some jobs of their types (R100, R102, I7).
class Scopes : public StoreTest {
protected:
    static ServedJobs within(ServedScope scope) { return {{"noop"}, {}, std::move(scope)}; }

    static std::vector<Job> one_of_each() {
        Job mail = a_job("mail");
        mail.category = "mail";
        Job acme = a_job("acme");
        acme.tenant_id = "acme";
        Job invoice = a_job("invoice").of_definition("invoice:1");
        return {a_job("plain"), mail, acme, invoice};
    }

    std::vector<std::string> acquired(const ServedScope& scope) {
        EXPECT_EQ(store_.executor().has_acquirable(within(scope)), true);
        auto ids = ids_of(store_.executor().acquire(claim_of("node-1"), within(scope), 100));
        EXPECT_FALSE(store_.executor().has_acquirable(within(scope)));
        return ids;
    }

    void live(std::string_view node, ServedScope scope) {
        const persistence::NodeIdentity identity{.node = std::string(node), .incarnation = "1"};
        store_.nodes().register_node(
            identity, within(std::move(scope)), clock_.now(), clock_.now() + 10s
        );
    }

    std::vector<UnservedJobs> unserved() {
        return store_.served().unserved(clock_.now(), persistence::kAllRows);
    }

    Lack lacking(const Job& job) {
        return store_.served().lacking(persistence::kind_of(job), clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Scopes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Scopes, Others_see_what_a_node_is_set_not_to_fetch) {
    live("both", {});
    ServedJobs neither = within({.tenants = {"acme"}});
    neither.fetching = {.jobs = false, .timers = false};
    store_.nodes().register_node(
        {.node = "neither", .incarnation = "1"}, neither, clock_.now(), clock_.now() + 10s
    );
    std::vector<persistence::Node> nodes = store_.nodes().nodes();
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].fetching, persistence::Fetching());
    EXPECT_EQ(nodes[1].fetching, neither.fetching);
    EXPECT_THAT(nodes[1].scope.tenants, ElementsAre("acme"));
    store_.nodes().record_served("neither", within({}));
    EXPECT_EQ(store_.nodes().nodes()[1].fetching, persistence::Fetching());
}

TEST_P(Scopes, Only_jobs_inside_are_acquired) {
    insert(JobPlace::executable, one_of_each());
    EXPECT_THAT(acquired({.categories = {"mail", "post"}}), ElementsAre("mail"));
    EXPECT_THAT(acquired({.tenants = {"acme"}}), ElementsAre("acme"));
    EXPECT_THAT(acquired({.definitions = {"invoice:1"}}), ElementsAre("invoice"));
    EXPECT_THAT(acquired({.categories = {""}}), ElementsAre("plain"));
}

TEST_P(Scopes, The_empty_value_stands_for_jobs_without_one) {
    insert(JobPlace::executable, one_of_each());
    execute("UPDATE ACT_RU_JOB SET CATEGORY_ = '' WHERE ID_ = 'plain'");
    const ServedScope scope{.categories = {"", "mail"}, .tenants = {""}, .definitions = {""}};
    EXPECT_THAT(acquired(scope), UnorderedElementsAre("mail", "plain"));
}

TEST_P(Scopes, Orders_keep_to_them) {
    EXPECT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    insert(JobPlace::executable, one_of_each());
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
    insert(JobPlace::executable, one_of_each());
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
    ASSERT_THAT(store_.nodes().nodes(), testing::SizeIs(1));
    EXPECT_EQ(store_.nodes().nodes().front().scope, scope);
    store_.nodes().record_served("node-1", within({}));
    EXPECT_TRUE(schema::is_all(store_.nodes().nodes().front().scope));
    live("node-1", scope);
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_SCOPE"), 0);
}

}  // namespace

}  // namespace jobstrand::test
