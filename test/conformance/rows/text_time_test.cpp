#include "test/conformance/rows/unreadable_row_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Where times are texts, a form of its own changes where a due date stands.
class TextTimes : public UnreadableRows {
protected:
    void insert_due(std::string_view id, std::string_view due) {
        insert_odd(JobPlace::timer, id, {"DUEDATE_", fmt::format("'{}'", due)});
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnSqlite,
    TextTimes,
    testing::ValuesIn(in_files("sqlite")),
    name_of_database
);

TEST_P(TextTimes, Each_form_that_has_one_meaning_is_due_at_its_time) {
    for (const std::string_view due :
         {"2026-01-01T01:00:00Z",
          "2026-01-01T01:00:00",
          "2026-01-01 01:00:00",
          "2026-01-01 01:00:00.0",
          "2026-01-01 01:00:00.000000000",
          "2026-01-01 01:00:00+00:00",
          "2026-01-01 06:30:00+05:30",
          "2025-12-31 20:00:00-05:00",
          "2025-12-31T20:00:00.000-0500"}) {
        SCOPED_TRACE(due);
        insert_due("a", due);
        EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1h);
        EXPECT_THAT(move(), IsEmpty());
        clock_.tick(1h);
        EXPECT_THAT(move(), ElementsAre("a"));
        clock_.tick(-1h);
        execute("DELETE FROM ACT_RU_JOB");
    }
}

TEST_P(TextTimes, One_that_sorts_too_early_is_stored_anew_and_does_not_fire) {
    insert(JobPlace::timer, a_timer("a"));
    insert_due("b", "2025-12-31 20:00:00-05:00");
    EXPECT_THAT(move(), ElementsAre("a"));
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(
        execute("DELETE FROM ACT_RU_TIMER_JOB WHERE DUEDATE_ = '2026-01-01 01:00:00.000'"), 1
    );
}

TEST_P(TextTimes, One_that_stands_first_does_not_hide_who_is_due_before_it) {
    insert_due("a", "2025-12-31 20:00:00-05:00");
    insert(JobPlace::timer, a_timer("b", 1min));
    EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1min);
}

}  // namespace

}  // namespace jobstrand::test
