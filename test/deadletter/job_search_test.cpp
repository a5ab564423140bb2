#include "deadletter/job_search.hpp"

#include "deadletter/series_admin.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;

class JobSearchTest : public AdminTest {
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

    /// The same of what is to be had soon, with `?` where there may be more, and behind what.
    std::string soon(const JobQuery& query) {
        const JobPage found = JobSearch(store_).list_soon(query);
        const auto ids = shown(found, [](const auto& job) { return job.job.id; });
        return ids +
               (found.is_partial ? '?' + (found.looked_until ? found.looked_until->id : "") : "");
    }

    void insert_dated(JobPlace place, const std::string& id, schema::Duration after) {
        schema::Job job = test::a_job(id).of_type(id.substr(1));
        job.due_date = clock_.now() + after;
        job.failed_time = clock_.now() + after;
        insert(place, std::move(job));
    }

    static persistence::JobFilter of_type(const std::string& type) {
        return {.fields = {persistence::equals(&schema::Job::handler_type, type)}};
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

class PayloadSearchTest : public JobSearchTest {
protected:
    PayloadSearchTest() {
        insert_payloads(JobPlace::executable, "acegik");
        insert_payloads(JobPlace::timer, "bdfhjl");
    }

    void insert_payloads(JobPlace place, std::string_view ids) {
        for (const char id : ids) {
            insert(
                place,
                test::a_job(std::string(1, id))
                    .with_payload(fmt::format(R"({{"vowel":"{}"}})", is_vowel(id) ? "y" : "n"))
                    .build()
            );
        }
    }

    static bool is_vowel(char id) { return id == 'a' || id == 'e' || id == 'i'; }

    /// Pages of a list until its end, each in its brackets.
    std::string pages(JobQuery query) {
        query.filter.where = {asked("y")};
        query.looked_into = 2;
        std::string text;
        for (int i = 0; i < 20; ++i) {
            const JobPage page = JobSearch(store_).list(query);
            text += '[';
            for (const auto& placed : page.items) {
                text += placed.job.id;
            }
            text += ']';
            if (!page.has_more && !page.looked_until) {
                return text;
            }
            const schema::Job last = page.looked_until ? *page.looked_until : page.items.back().job;
            if (query.order) {
                query.order->behind = last;
            } else {
                query.after = last.id;
            }
        }
        return text + " and no end";
    }

    static persistence::JobTerm asked(const std::string& value) {
        return {
            .kind = persistence::JobTerm::Kind::payload,
            .parts = {},
            .leaf = persistence::PayloadCondition{
                {"vowel"}, persistence::FieldCondition::Match::equal, value}};
    }

    static constexpr std::chrono::milliseconds kNone{0};
    const std::vector<JobPlace> one_{JobPlace::executable};
    const std::vector<JobPlace> two_{JobPlace::executable, JobPlace::timer};
};

TEST_F(PayloadSearchTest, Goes_on_from_stretch_to_stretch_until_the_page_is_full) {
    EXPECT_EQ(pages({.places = one_}), "[aei]");
    EXPECT_EQ(pages({.places = two_}), "[aei]");
    EXPECT_EQ(pages({.places = two_, .limit = 1}), "[a][e][i]");
    EXPECT_EQ(pages({.places = one_, .after = "a", .limit = 2}), "[ei]");
    EXPECT_EQ(pages({.places = {JobPlace::suspended}}), "[]");
}

TEST_F(PayloadSearchTest, Ends_a_page_when_the_time_is_up_and_tells_how_far_it_has_looked) {
    EXPECT_EQ(pages({.places = one_, .patience = kNone}), "[a][e][i][]");
    // Each page looks at two jobs of each place: up to c and d, then up to h, ...
    const std::string of_two = pages({.places = two_, .patience = kNone});
    EXPECT_EQ(of_two.find("no end"), std::string::npos) << of_two;
    std::string found = of_two;
    std::erase_if(found, [](char c) { return c == '[' || c == ']'; });
    EXPECT_EQ(found, "aei");
}

TEST_F(PayloadSearchTest, Another_order_has_the_same_jobs_and_bounds) {
    const JobOrder backwards{.by = &schema::Job::id, .is_descending = true};
    EXPECT_EQ(pages({.places = one_, .order = backwards}), "[iea]");
    EXPECT_EQ(pages({.places = one_, .order = backwards, .limit = 1}), "[i][e][a]");
    EXPECT_EQ(pages({.places = one_, .order = backwards, .patience = kNone}), "[i][e][a][]");
    const JobOrder behind_one{.by = &schema::Job::id, .skipped = 1};
    EXPECT_EQ(pages({.places = one_, .order = behind_one}), "[ei]");
}

TEST_F(PayloadSearchTest, Counts_and_reads_whole_places_stretch_by_stretch) {
    const persistence::JobFilter filter{.where = {asked("n")}};
    EXPECT_EQ(count_in(store_, JobPlace::timer, filter), 6);
    EXPECT_EQ(list_in(store_, JobPlace::timer, filter, "d", 3).size(), 3U);
    JobStretches stretches(store_, JobPlace::executable, filter, "", 4);
    ASSERT_TRUE(stretches.next());
    EXPECT_EQ(stretches.last(), "g");
    ASSERT_TRUE(stretches.next());
    EXPECT_EQ(stretches.after(), "g");
    EXPECT_EQ(stretches.last(), "k");
    EXPECT_FALSE(stretches.next());
}

TEST_F(JobSearchTest, Places_are_counted_with_their_locks) {
    insert_all(JobPlace::executable, {"a"});
    lock_all();
    insert_all(JobPlace::executable, {"b"});
    const auto counts = JobSearch(store_).count_places();
    EXPECT_EQ(counts.front().jobs, 2);
    EXPECT_EQ(counts.front().locked, 1);
}

TEST_F(JobSearchTest, Of_a_place_that_has_more_the_first_jobs_are_counted_and_it_says_so) {
    insert_all(JobPlace::executable, {"a", "b"});
    lock_all();
    insert_all(JobPlace::timer, {"t"});
    for (const Shown shown : {Shown::some, Shown::every}) {
        const auto counts = JobSearch(store_).count_places(1, shown);
        EXPECT_EQ(counts.at(0).jobs, 1);
        EXPECT_EQ(counts.at(0).locked, 1);
        EXPECT_EQ(counts.at(0).looked_at, 1U);
        EXPECT_EQ(counts.at(1).jobs, 1);
        EXPECT_EQ(counts.at(1).looked_at, std::nullopt) << "these are all";
    }
    const auto types = JobSearch(store_).count_types({}, 1);
    ASSERT_EQ(types.size(), 2U);
    EXPECT_EQ(types.at(0).count.jobs, 1);
    EXPECT_EQ(types.at(0).looked_at, 1U);
    EXPECT_EQ(types.at(1).looked_at, std::nullopt);
}

TEST_F(JobSearchTest, A_list_ends_behind_the_rows_that_it_may_look_at_and_says_where_it_goes_on) {
    for (const char* const id : {"1a", "2b", "3b", "4a", "5b"}) {
        insert_dated(JobPlace::suspended, id, 1h);
    }
    insert_dated(JobPlace::executable, "0a", 1h);
    const std::vector<JobPlace> one{JobPlace::suspended};
    const auto of_a = of_type("a");
    EXPECT_EQ(soon({.places = one, .filter = of_a, .rows = 3}), "1a ?3b");
    EXPECT_EQ(soon({.places = one, .filter = of_a, .after = "3b", .rows = 3}), "4a ");
    EXPECT_EQ(soon({.places = one, .filter = of_a, .rows = 5}), "1a 4a ");
    EXPECT_EQ(soon({.places = one, .filter = of_a, .limit = 1, .rows = 4}), "1a +")
        << "a page that is full needs no more rows";
    const std::vector<JobPlace> two{JobPlace::executable, JobPlace::suspended};
    EXPECT_EQ(soon({.places = two, .filter = of_a, .rows = 3}), "0a 1a ?3b");
}

TEST_F(JobSearchTest, A_list_that_an_index_has_in_its_order_ends_so_too) {
    insert_dated(JobPlace::timer, "9a", 1h);
    insert_dated(JobPlace::timer, "1b", 2h);
    insert_dated(JobPlace::timer, "2a", 2h);
    insert_dated(JobPlace::timer, "3b", 3h);
    insert_dated(JobPlace::timer, "0a", 4h);
    const auto query = [&](std::size_t rows, std::optional<schema::Job> behind = {}) {
        return JobQuery{
            .places = {JobPlace::timer},
            .filter = of_type("a"),
            .order = JobOrder{.by = &schema::Job::due_date, .behind = std::move(behind)},
            .rows = rows};
    };
    EXPECT_EQ(soon(query(1)), "9a ?9a");
    EXPECT_EQ(soon(query(2)), "9a ?1b") << "2a has the due date of 1b, and stands behind it";
    EXPECT_EQ(soon(query(4)), "9a 2a ?3b");
    EXPECT_EQ(soon(query(9)), "9a 2a 0a ");
    const auto mark = JobSearch(store_).list_soon(query(4)).looked_until;
    EXPECT_EQ(soon(query(4, mark)), "0a ");
    const JobQuery latest{
        .places = {JobPlace::timer},
        .filter = of_type("a"),
        .order = JobOrder{.by = &schema::Job::due_date, .is_descending = true},
        .rows = 3};
    EXPECT_EQ(soon(latest), "0a 2a ?2a");
}

TEST_F(JobSearchTest, What_no_index_has_in_order_is_sorted_as_far_as_it_was_looked_at) {
    insert_dated(JobPlace::timer, "1b", 1h);
    insert_dated(JobPlace::timer, "2a", 1h);
    insert_dated(JobPlace::timer, "3a", 1h);
    const auto query = [](std::size_t rows) {
        return JobQuery{
            .places = {JobPlace::timer},
            .order = JobOrder{.by = &schema::Job::handler_type},
            .rows = rows};
    };
    EXPECT_EQ(soon(query(2)), "2a 1b ?");
    EXPECT_EQ(soon(query(3)), "2a 3a 1b ");
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
