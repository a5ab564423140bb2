#include "deadletter/desk/job_search.hpp"

#include "deadletter/desk/timer_search.hpp"
#include "test/deadletter/desk_fixture.hpp"

namespace jobstrand::deadletter {
namespace {

using schema::JobPlace;

class JobSearchTest : public DeskTest {
protected:
    /// `a b +`: the ids, and a plus when there is more.
    template <typename Page, typename IdOf>
    static std::string shown(const Page& page, const IdOf& id_of) {
        std::string text;
        for (const auto& item : page.items) {
            text += id_of(item) + ' ';
        }
        return text + (page.has_more ? "+" : "");
    }

    std::string list(const JobQuery& query) {
        return shown(JobSearch(store_).list(query), [](const auto& job) { return job.job.id; });
    }

    std::string list_timers(const TimerQuery& query) {
        return shown(TimerSearch(store_, series_store_).list(query), [](const FoundTimer& timer) {
            return timer.placed.job.id;
        });
    }
};

TEST_F(JobSearchTest, Jobs_of_several_places_are_one_list) {
    insert_all(JobPlace::executable, {"a", "d"});
    insert_all(JobPlace::timer, {"b"});
    insert_all(JobPlace::dead_letter, {"c"});
    const std::vector<JobPlace> two{JobPlace::executable, JobPlace::timer};
    EXPECT_EQ(list({.places = two}), "a b d ");
    EXPECT_EQ(list({.places = two, .limit = 2}), "a b +");
    EXPECT_EQ(list({.places = two, .after = "b", .limit = 1}), "d ");
}

TEST_F(JobSearchTest, Jobs_that_are_passed_over_do_not_count) {
    insert_all(JobPlace::executable, {"a1", "b", "c1", "d"});
    const auto has_one = [](const schema::PlacedJob& placed) { return placed.job.id.size() > 1; };
    const std::vector<JobPlace> one{JobPlace::executable};
    EXPECT_EQ(list({.places = one, .limit = 1, .is_wanted = has_one}), "a1 +");
    EXPECT_EQ(list({.places = one, .limit = 2, .is_wanted = has_one}), "a1 c1 ");
}

TEST_F(JobSearchTest, Places_are_counted_with_their_locks) {
    insert_all(JobPlace::executable, {"a"});
    lock_all();
    insert_all(JobPlace::executable, {"b"});
    const auto counts = JobSearch(store_).count_places();
    EXPECT_EQ(counts.front().jobs, 2);
    EXPECT_EQ(counts.front().locked, 1);
}

TEST_F(JobSearchTest, Timers_are_found_by_state_and_by_group) {
    insert_series("s", "g");
    insert_all(JobPlace::timer, {"single"});
    EXPECT_EQ(list_timers({}), "s-turn single ");
    EXPECT_EQ(list_timers({.group = "g"}), "s-turn ");
    EXPECT_EQ(list_timers({.group = "none"}), "");
    store_.suspend(persistence::SuspensionScope::series, "s", clock_.now());
    insert_all(JobPlace::suspended, {"no-timer"});
    EXPECT_EQ(list_timers({}), "single ");
    EXPECT_EQ(list_timers({.state = TimerState::paused}), "s-turn ");
    EXPECT_EQ(list_timers({.state = TimerState::all}), "s-turn single ");
}

}  // namespace
}  // namespace jobstrand::deadletter
