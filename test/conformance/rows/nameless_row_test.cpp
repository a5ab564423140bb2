#include "test/conformance/rows/unreadable_row_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

/// Ids that no statement finds.
class NamelessRows : public UnreadableRows {
protected:
    void insert_nameless(JobPlace place) {
        execute(fmt::format(
            "INSERT INTO {} (ID_, HANDLER_TYPE_, DUEDATE_) "
            "VALUES ('', 'noop', '2025-12-31 23:00:00.000')",
            schema::table_of(place)
        ));
        if (dialect().name == "sqlite") {
            execute(fmt::format(
                "INSERT INTO {} (ID_, HANDLER_TYPE_, DUEDATE_) VALUES"
                " (x'00FFabcd', 'noop', '2025-12-31 23:00:00.000'),"
                " (x'', 'noop', '2025-12-31 23:00:00.000')",
                schema::table_of(place)
            ));
        }
    }

    [[nodiscard]] std::size_t nameless() const { return dialect().name == "sqlite" ? 3 : 1; }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    NamelessRows,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(NamelessRows, They_get_an_id_and_run_once) {
    insert_nameless(JobPlace::executable);
    insert(JobPlace::executable, a_job("a"));
    std::vector<Job> held = acquire();
    for (std::vector<Job> more = acquire(); !more.empty(); more = acquire()) {
        held.insert(held.end(), more.begin(), more.end());
    }
    EXPECT_THAT(held, SizeIs(1 + nameless()));
    if (dialect().name == "sqlite") {
        EXPECT_THAT(ids_of(held), testing::Contains("00ffabcd"));
    }
    for (const Job& job : held) {
        EXPECT_EQ(place_of(job.id), "executable");
        EXPECT_THAT(
            store_.executor().apply("node-1", std::vector{completed_outcome(job)}),
            ElementsAre(OutcomeAnswer::done)
        );
    }
}

TEST_P(NamelessRows, Timers_get_an_id_before_they_move) {
    insert_nameless(JobPlace::timer);
    insert(JobPlace::timer, a_timer("a"));
    std::vector<std::string> moved = move();
    for (auto more = move(); !more.empty(); more = move()) {
        moved.insert(moved.end(), more.begin(), more.end());
    }
    EXPECT_THAT(moved, SizeIs(1 + nameless()));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

TEST_P(NamelessRows, Lists_give_them_one_by_which_they_can_be_removed) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        insert_nameless(place);
        insert(place, a_job("a"));
        std::vector<std::string> ids = listed(place);
        ASSERT_THAT(ids, SizeIs(1 + nameless()));
        EXPECT_EQ(store_.jobs().list_ids(place, {}, "", 100), ids);
        EXPECT_EQ(
            ids_of(store_.jobs().list(place, {}, ids.back(), 100)), std::vector<std::string>{}
        );
        EXPECT_THAT(store_.jobs().remove(place, ids, clock_.now()), testing::Each(JobAnswer::done));
        EXPECT_EQ(count_rows(schema::table_of(place)), 0);
    }
}

TEST_P(NamelessRows, They_do_not_keep_the_reset_from_the_others) {
    Job held = a_job("a");
    held.lock_owner = "dead node";
    held.lock_expiration = clock_.now() - 1s;
    insert(JobPlace::executable, held);
    insert_nameless(JobPlace::executable);
    execute("UPDATE ACT_RU_JOB SET LOCK_EXP_TIME_ = '2025-12-31 23:00:00.000'");
    std::int64_t freed = 0;
    for (int pass = 0; pass < 3; ++pass) {
        freed += reset(JobPlace::executable);
    }
    EXPECT_EQ(freed, static_cast<std::int64_t>(1 + nameless()));
}

TEST_P(NamelessRows, Bytes_whose_text_is_taken_get_a_longer_one) {
    if (dialect().name != "sqlite") {
        return;  // Its column holds texts only.
    }
    insert(JobPlace::executable, a_job("abcd"));
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES (x'ABCD', 'noop')");
    const auto ids = listed(JobPlace::executable);
    ASSERT_THAT(ids, SizeIs(2));
    EXPECT_EQ(ids[0], "abcd");
    EXPECT_THAT(ids[1], StartsWith("abcd-"));
}

}  // namespace

}  // namespace jobstrand::test
