#include "deadletter/series_admin.hpp"

#include "test/deadletter/admin_fixture.hpp"

namespace jobstrand::deadletter {
namespace {

using persistence::SeriesCondition;

class SeriesAdminTest : public AdminTest {
protected:
    std::string select(const SeriesSelection& selection, SeriesChange change) {
        std::string keys;
        for (const auto& summary : admin_.select(selection, change)) {
            keys += summary.series.key + ' ';
        }
        return keys;
    }

    void change(SeriesChange change, const std::vector<std::string>& keys) {
        admin_.change(change, keys, watch());
    }

    SeriesAdmin admin_{store_, series_store_, clock_};
};

TEST(SeriesChange, Concerns_series_in_the_conditions_that_it_ends) {
    struct Row {
        SeriesChange change;
        SeriesCondition condition;
        bool is_concerned;
    };
    const std::vector<Row> rows{
        {SeriesChange::pause, SeriesCondition::waiting, true},
        {SeriesChange::pause, SeriesCondition::running, true},
        {SeriesChange::pause, SeriesCondition::paused, false},
        {SeriesChange::pause, SeriesCondition::ended, false},
        {SeriesChange::resume, SeriesCondition::waiting, false},
        {SeriesChange::resume, SeriesCondition::paused, true},
        {SeriesChange::resume, SeriesCondition::ended, false},
        {SeriesChange::fire, SeriesCondition::paused, true},
        {SeriesChange::fire, SeriesCondition::ended, false},
        {SeriesChange::end, SeriesCondition::running, true},
        {SeriesChange::end, SeriesCondition::ended, false},
        {SeriesChange::remove, SeriesCondition::waiting, false},
        {SeriesChange::remove, SeriesCondition::ended, true},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(concerns(row.change, row.condition), row.is_concerned)
            << static_cast<int>(row.change) << ' ' << name_of(row.condition);
    }
}

TEST_F(SeriesAdminTest, A_selection_is_keys_a_group_or_all) {
    insert_series("a", "g");
    insert_series("b", "g");
    insert_series("c");
    change(SeriesChange::end, {"b"});
    EXPECT_EQ(select({.keys = {"a", "b", "nobody"}}, SeriesChange::pause), "a ");
    EXPECT_EQ(select({.group = "g"}, SeriesChange::pause), "a ");
    EXPECT_EQ(select({}, SeriesChange::pause), "a c ");
    EXPECT_EQ(select({}, SeriesChange::remove), "b ");
}

TEST_F(SeriesAdminTest, A_series_is_paused_and_resumed) {
    insert_series("a");
    change(SeriesChange::pause, {"a", "nobody"});
    EXPECT_EQ(items(), "a:done nobody:not_found");
    EXPECT_EQ(places(), "suspended=1");
    change(SeriesChange::resume, {"a"});
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(SeriesAdminTest, A_series_stays_paused_with_its_group) {
    insert_series("a", "g");
    store_.suspend(persistence::SuspensionScope::timer_group, "g", clock_.now());
    change(SeriesChange::resume, {"a"});
    EXPECT_EQ(last().refusal, Refusal::group_is_paused);
    EXPECT_EQ(last().group, "g");
    EXPECT_TRUE(admin_.groups().at("g").paused_since);
    EXPECT_EQ(admin_.groups().at("g").series, 1);
}

TEST_F(SeriesAdminTest, Firing_makes_a_job_beside_the_turns) {
    insert_series("a");
    change(SeriesChange::fire, {"a"});
    EXPECT_TRUE(store_.find(last().new_job));
    EXPECT_EQ(places(), "executable=1 timer=1");
}

TEST_F(SeriesAdminTest, Only_what_has_ended_is_removed_and_nothing_else_is_done_to_it) {
    insert_series("a");
    change(SeriesChange::remove, {"a"});
    EXPECT_EQ(last().refusal, Refusal::series_has_not_ended);
    change(SeriesChange::end, {"a"});
    EXPECT_EQ(items(), "a:done");
    for (const SeriesChange other :
         {SeriesChange::pause, SeriesChange::resume, SeriesChange::fire}) {
        change(other, {"a"});
        EXPECT_EQ(last().refusal, Refusal::series_has_ended) << static_cast<int>(other);
    }
    EXPECT_EQ(
        admin_.reschedule({.key = "a", .repeat = "R/PT1H"}).refusal, Refusal::series_has_ended
    );
    change(SeriesChange::remove, {"a"});
    EXPECT_EQ(items(), "a:done");
    EXPECT_EQ(admin_.list({}, "", 10).items.size(), 0U);
}

TEST_F(SeriesAdminTest, A_calendar_in_use_is_refused) {
    series_store_.put_calendar({.name = "c", .text = "weekly SUN"}, clock_.now());
    series_store_.put_calendar({.name = "uses-c", .text = "based on c"}, clock_.now());
    admin_.remove_calendars({"c", "uses-c", "nobody"}, watch());
    EXPECT_EQ(items(), "c:refused uses-c:done nobody:not_found");
}

}  // namespace
}  // namespace jobstrand::deadletter
