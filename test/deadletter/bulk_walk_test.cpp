#include "deadletter/dead_letters.hpp"
#include "deadletter/job_admin.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace jobstrand::deadletter {
namespace {

using schema::JobPlace;

/// Operations on all jobs that match a filter, which go through them page by page.
class BulkWalk : public AdminTest {
protected:
    /// `j0000`, `j0001`, ...
    void insert_many(JobPlace place, int count, char prefix = 'j') {
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) {
            ids.push_back(fmt::format("{}{:04}", prefix, i));
        }
        insert_all(place, ids);
    }

    /// Notes the counts after each page; stops after `most`.
    BulkWatch pages(std::size_t most = 100) {
        return {.on_page = [this, most](const BulkCounts& counts) {
            pages_.push_back(counts);
            return pages_.size() < most;
        }};
    }

    const JobSelection all_ = JobSelection::matching({});
    JobAdmin admin_{store_, series_store_, clock_};
    DeadLetters dead_letters_{store_, clock_};
    std::vector<BulkCounts> pages_;
};

TEST_F(BulkWalk, It_tells_after_each_page_how_far_it_has_come) {
    insert_many(JobPlace::executable, 1200);
    const BulkCounts end = admin_.remove(all_, {}, pages());
    ASSERT_EQ(pages_.size(), 3U);
    EXPECT_EQ(pages_[0], (BulkCounts{.total = 1200, .done = 500}));
    EXPECT_EQ(pages_[1], (BulkCounts{.total = 1200, .done = 1000}));
    EXPECT_EQ(pages_[2], (BulkCounts{.total = 1200, .done = 1200}));
    EXPECT_EQ(end, pages_[2]);
    EXPECT_EQ(places(), "");
}

TEST_F(BulkWalk, It_stops_between_two_pages_and_can_be_started_again) {
    insert_many(JobPlace::executable, 1200);
    EXPECT_EQ(admin_.remove(all_, {}, pages(1)).done, 500);
    EXPECT_EQ(places(), "executable=700");
    EXPECT_EQ(admin_.remove(all_, {}), (BulkCounts{.total = 700, .done = 700}));
    EXPECT_EQ(places(), "");
}

TEST_F(BulkWalk, What_the_watch_throws_ends_it_and_what_is_done_stays_done) {
    insert_many(JobPlace::executable, 1200);
    const BulkWatch watch{.on_page = [](const BulkCounts&) -> bool {
        throw std::runtime_error("the terminal is gone");
    }};
    EXPECT_THROW(admin_.remove(all_, {}, watch), std::runtime_error);
    EXPECT_EQ(places(), "executable=700");
}

TEST_F(BulkWalk, A_job_that_comes_behind_it_is_left_and_one_before_it_is_taken) {
    insert_many(JobPlace::executable, 600);
    const BulkWatch watch{.on_page = [this](const BulkCounts& counts) {
        if (counts.done == 500) {
            insert_all(JobPlace::executable, {"a-behind", "z-before"});
        }
        return true;
    }};
    EXPECT_EQ(admin_.remove(all_, {}, watch).done, 601);
    EXPECT_EQ(places(), "executable=1");
    EXPECT_TRUE(store_.find("a-behind"));
}

TEST_F(BulkWalk, What_stays_does_not_keep_it_at_the_same_page) {
    insert_many(JobPlace::executable, 100);
    lock_all();
    insert_all(JobPlace::timer, {"t"});
    insert_many(JobPlace::executable, 600, 'k');
    EXPECT_EQ(
        admin_.remove(all_, {}, pages()), (BulkCounts{.total = 700, .done = 600, .locked = 100})
    );
    EXPECT_EQ(places(), "executable=100 timer=1");
}

TEST_F(BulkWalk, Only_what_matches_is_touched) {
    insert_many(JobPlace::dead_letter, 5);
    insert(JobPlace::dead_letter, test::a_job("x").of_type("mail"));
    insert(JobPlace::dead_letter, test::a_job("y").of_type("mail").of_instance("order-17"));
    persistence::JobFilter mail;
    mail.fields = {persistence::equals(&schema::Job::handler_type, "mail")};
    const JobSelection all_mail = JobSelection::matching(mail);
    EXPECT_EQ(dead_letters_.count(all_mail), 2);
    const Revival revival{.retries = 4};
    EXPECT_EQ(dead_letters_.requeue(all_mail, revival).done, 2);
    EXPECT_EQ(places(), "executable=2 dead=5");
    EXPECT_EQ(store_.find("y").value().job.retries, 4);
    EXPECT_EQ(dead_letters_.remove(all_mail).total, 0);
    EXPECT_EQ(dead_letters_.remove(all_).done, 5);
}

TEST_F(BulkWalk, Dead_letters_that_die_again_behind_it_are_not_taken_twice) {
    insert_many(JobPlace::dead_letter, 3);
    const BulkWatch watch{.on_page = [this](const BulkCounts&) {
        insert_all(JobPlace::dead_letter, {"a-died-again"});
        return true;
    }};
    EXPECT_EQ(dead_letters_.requeue(all_, {.retries = 1}, watch).done, 3);
    EXPECT_EQ(places(), "executable=3 dead=1");
}

struct WhereToLook {
    JobSelection selection;
    std::optional<JobPlace> place;
    std::size_t places;
    JobPlace first;
};

TEST_F(BulkWalk, Ids_are_looked_for_anywhere_and_filters_among_the_executable_jobs) {
    const JobSelection named = JobSelection::these({"a"});
    const WhereToLook cases[] = {
        {named, {}, schema::kJobPlaces.size(), schema::kJobPlaces.front()},
        {named, JobPlace::timer, 1, JobPlace::timer},
        {all_, {}, 1, JobPlace::executable},
        {all_, JobPlace::dead_letter, 1, JobPlace::dead_letter},
        {JobSelection::these({}), {}, schema::kJobPlaces.size(), schema::kJobPlaces.front()},
    };
    for (const WhereToLook& test : cases) {
        const auto places = JobAdmin::places_of(test.selection, test.place);
        EXPECT_EQ(places.size(), test.places);
        EXPECT_EQ(places.front(), test.first);
    }
}

}  // namespace
}  // namespace jobstrand::deadletter
