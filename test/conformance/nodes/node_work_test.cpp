#include "persistence/node_store.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::AskedTopic;
using persistence::NodeWork;
using persistence::TypeRuns;
using testing::ElementsAre;
using testing::IsEmpty;

/// What nodes tell of their work.
class Work : public StoreTest {
protected:
    void start(const std::string& node) {
        store_.nodes().register_node(
            {.node = node, .incarnation = "1"}, {}, clock_.now(), clock_.now() + 10s
        );
    }

    [[nodiscard]] NodeWork one_run() const {
        return {
            .runs = {{.id = "ørder-17", .revision = 2, .since = clock_.now()}},
            .last_minute = {{.handler_type = "mail", .runs = 3'000'000'000}},
        };
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Work,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Work, Others_see_since_when_a_node_runs_a_job) {
    start("node-1");
    const schema::TimePoint since = clock_.now();
    store_.nodes().record_work("node-1", one_run());
    clock_.tick(3s);
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 2), since);
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 3), std::nullopt) << "another run";
    EXPECT_EQ(store_.nodes().running_since("node-1", "other", 2), std::nullopt);
    EXPECT_EQ(store_.nodes().running_since("node-2", "ørder-17", 2), std::nullopt);
    store_.nodes().record_work("node-1", {});
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 2), std::nullopt);
}

TEST_P(Work, The_runs_of_all_living_nodes_are_added_up) {
    start("node-1");
    start("node-2");
    store_.nodes().record_work("node-1", one_run());
    store_.nodes().record_work("node-2", {.last_minute = {{"mail", 2}, {"noop", 1}}});
    EXPECT_THAT(
        store_.nodes().runs_of_last_minute(clock_.now()),
        ElementsAre(TypeRuns{"mail", 3'000'000'002}, TypeRuns{"noop", 1})
    );
    EXPECT_THAT(store_.nodes().runs_of_last_minute(clock_.now() + 11s), IsEmpty());
}

// A young node has counted for less than a minute, and its rate is no lower for that.
TEST_P(Work, Failures_and_the_time_in_which_runs_ended_are_known) {
    start("node-1");
    start("node-2");
    const auto told = [this](const std::string& node, const TypeRuns& runs) {
        store_.nodes().record_work(node, {.last_minute = {runs}});
        return store_.nodes().runs_of_last_minute(clock_.now());
    };
    EXPECT_THAT(
        told("node-1", {"mail", 4'000, 40, 2s}), ElementsAre(TypeRuns{"mail", 4'000, 40, 2s})
    );
    // 2,000 runs a second here, and 100 there.
    EXPECT_THAT(
        told("node-2", {"mail", 6'000, 5, 60s}), ElementsAre(TypeRuns{"mail", 10'000, 45, 4762ms})
    );
    EXPECT_THAT(
        told("node-1", {"mail", 6'000, 0, 60s}), ElementsAre(TypeRuns{"mail", 12'000, 5, 60s})
    );
}

TEST_P(Work, Others_see_that_a_node_does_not_get_on) {
    start("node-1");
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "");
    store_.nodes().record_work("node-1", {.standstill = "3 jobs are held, and none of them runs"});
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "3 jobs are held, and none of them runs");
    store_.nodes().record_work("node-1", {});
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "");
}

TEST_P(Work, Others_see_which_workers_ask_for_what) {
    start("node-1");
    start("node-2");
    const schema::TimePoint now = clock_.now();
    store_.nodes().record_asked(
        "node-1", std::vector<AskedTopic>{{"pay", "wörker", now}, {"mail", "w", now}}
    );
    store_.nodes().record_asked("node-2", std::vector<AskedTopic>{{"pay", "wörker", now + 2s}});
    EXPECT_THAT(
        store_.nodes().asked_topics(now),
        ElementsAre(AskedTopic{"mail", "w", now}, AskedTopic{"pay", "wörker", now + 2s})
    );
    store_.nodes().record_asked("node-2", {});
    EXPECT_THAT(
        store_.nodes().asked_topics(now),
        ElementsAre(AskedTopic{"mail", "w", now}, AskedTopic{"pay", "wörker", now})
    );
    EXPECT_THAT(store_.nodes().asked_topics(now + 11s), IsEmpty()) << "nobody lives";
    store_.nodes().record_asked(
        "node-1", std::vector<AskedTopic>{{"pay", "w", now - AskedTopic::kLasts - 1ms}}
    );
    EXPECT_THAT(store_.nodes().asked_topics(now), IsEmpty()) << "too long ago";
}

TEST_P(Work, Workers_whose_names_are_one_to_the_database_are_told_too) {
    start("node-1");
    const schema::TimePoint now = clock_.now();
    store_.nodes().record_asked(
        "node-1", std::vector<AskedTopic>{{"pay", "W", now}, {"pay", "w", now}, {"pay", "w ", now}}
    );
    EXPECT_THAT(store_.nodes().asked_topics(now), testing::Not(IsEmpty()));
}

TEST_P(Work, A_node_that_is_gone_leaves_none_behind) {
    start("node-1");
    store_.nodes().record_asked("node-1", std::vector<AskedTopic>{{"pay", "w", clock_.now()}});
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_ASKED"), 0);
    start("node-1");
    store_.nodes().record_work("node-1", one_run());
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0);
    start("node-1");
    store_.nodes().record_work("node-1", one_run());
    start("node-1");
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0) << "another start";
    store_.nodes().record_work("node-1", one_run());
    clock_.tick(11s);
    EXPECT_EQ(store_.nodes().end_expired_leases(clock_.now()).size(), 1U);
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0);
}

}  // namespace

}  // namespace jobstrand::test
