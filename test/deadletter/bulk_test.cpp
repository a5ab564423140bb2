#include "deadletter/batch_admin.hpp"
#include "deadletter/bulk_change.hpp"
#include "deadletter/dead_letters.hpp"
#include "deadletter/job_admin.hpp"
#include "schema/clock.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace jobstrand::deadletter {

namespace {

using schema::Batch;
using schema::BatchOperation;
using schema::BatchState;
using schema::JobPlace;
using testing::ElementsAre;
using namespace std::chrono_literals;
using Ids = std::vector<std::string>;

/// The first letter of an id says what becomes of it.
[[nodiscard]] ItemResult change_one(const std::string& id) {
    switch (id.front()) {
        case 's':
            return {.id = id, .answer = ItemAnswer::unchanged};
        case 'n':
            return {.id = id, .answer = ItemAnswer::not_found};
        case 'l':
            return {.id = id, .answer = ItemAnswer::locked};
        case 'r':
            return {.id = id, .answer = ItemAnswer::refused};
        default:
            return {.id = id};
    }
}

[[nodiscard]] std::vector<ItemResult> change_page(const Ids& ids) {
    std::vector<ItemResult> items;
    for (const std::string& id : ids) {
        items.push_back(change_one(id));
    }
    return items;
}

/// Two pages: a, b; then c.
[[nodiscard]] auto three_in_two_pages() {
    const auto read = [](const std::string& after, std::size_t) {
        return after.empty() ? Ids{"a", "b"} : Ids{"c"};
    };
    return BulkSource{.total = 3, .page = 2, .read = read, .key_of = std::identity{}};
}

TEST(BulkChange, Everything_that_became_of_named_items_is_counted) {
    const BulkCounts counts = change_each({"a", "b", "s", "n", "l", "r"}, change_one, {});
    EXPECT_EQ(
        counts,
        (BulkCounts{.total = 6, .done = 2, .skipped = 1, .not_found = 1, .locked = 1, .refused = 1})
    );
}

TEST(BulkChange, Named_items_stop_after_any_of_them) {
    Ids seen;
    const BulkWatch watch{
        .on_item = [&](const ItemResult& item) { seen.push_back(item.id); },
        .on_page = [](const BulkCounts& counts) { return counts.done < 2; },
    };
    EXPECT_EQ(change_each({"a", "b", "c"}, change_one, watch).done, 2);
    EXPECT_EQ(seen, (Ids{"a", "b"}));
}

TEST(BulkChange, A_list_is_changed_page_by_page_and_told_after_each) {
    std::vector<std::int64_t> told;
    const BulkWatch watch{
        .on_page =
            [&](const BulkCounts& counts) {
                told.push_back(counts.done);
                return true;
            },
    };
    EXPECT_EQ(
        change_all(three_in_two_pages(), change_page, watch), (BulkCounts{.total = 3, .done = 3})
    );
    EXPECT_EQ(told, (std::vector<std::int64_t>{2, 3}));
}

TEST(BulkChange, A_list_stops_between_two_pages) {
    const BulkWatch stop{.on_page = [](const BulkCounts&) { return false; }};
    EXPECT_EQ(change_all(three_in_two_pages(), change_page, stop).done, 2);
}

TEST(BulkRest, Is_four_times_as_long_as_each_transaction_was_within_bounds) {
    schema::ManualClock clock;
    std::vector<schema::Duration> waits;
    BulkRest rest(clock, [&](schema::Duration time) {
        waits.push_back(time);
        clock.tick(time);
    });
    for (const schema::Duration transaction : {20ms, 150ms, 0ms, 30'000ms}) {
        clock.tick(transaction);
        rest.take();
    }
    EXPECT_THAT(waits, ElementsAre(80ms, 600ms, 0ms, 5s));
}

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

class BatchAdminTest : public AdminTest {
protected:
    void insert_dead(int count) {
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) {
            ids.push_back(fmt::format("dead{:05}", i));
        }
        insert_all(JobPlace::dead_letter, ids);
    }

    Batch begin(schema::BatchOrder order = {.operation = BatchOperation::requeue, .retries = 3}) {
        return batches_.begin({.order = std::move(order)});
    }

    BatchAdmin batches_{batch_store_, clock_};
};

TEST_F(BatchAdminTest, It_goes_on_until_all_jobs_are_done) {
    insert_dead(2'500);
    const auto batch = batches_.carry_out(begin().id);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->state, BatchState::done);
    EXPECT_EQ(
        counts_of(*batch), (BulkCounts{.total = 2'500, .done = 2'500, .skipped = 0, .refused = 0})
    );
    EXPECT_EQ(places(), "executable=2500");
    EXPECT_FALSE(batches_.carry_out("nobody"));
}

TEST_F(BatchAdminTest, A_watch_stops_it_between_two_pages_and_anybody_goes_on) {
    insert_dead(5'500);
    const Batch begun = begin();
    const auto stopped =
        batches_.carry_out(begun.id, {.on_page = [](const BulkCounts&) { return false; }});
    EXPECT_EQ(stopped->state, BatchState::running);
    EXPECT_GT(stopped->done, 0);
    EXPECT_LT(stopped->done, 5'500);
    BatchAdmin somebody_else(batch_store_, clock_);
    EXPECT_EQ(somebody_else.carry_out(begun.id)->done, 5'500);
    EXPECT_EQ(places(), "executable=5500");
}

TEST_F(BatchAdminTest, One_with_a_rate_waits_behind_each_page_until_its_jobs_may_have_been_done) {
    insert_dead(250);
    schema::Duration waited{0};
    const auto batch = batches_.carry_out(
        begin({.operation = BatchOperation::requeue, .retries = 3, .per_second = 100}).id,
        {},
        [&](schema::Duration time) {
            waited += time;
            clock_.tick(time);
        }
    );
    EXPECT_EQ(batch->done, 250);
    // The last page is done when it is done: nothing waits behind it.
    EXPECT_EQ(waited, 2s);
}

TEST_F(BatchAdminTest, Jobs_whose_ids_are_taken_are_refused_and_all_others_are_done) {
    insert_dead(1'200);
    file_.connect()->run_script(
        "INSERT INTO ACT_RU_JOB (ID_, TYPE_) VALUES ('dead00007', 'message');"
        "INSERT INTO ACT_RU_JOB (ID_, TYPE_) VALUES ('dead00700', 'message')"
    );
    const auto batch = batches_.carry_out(begin().id);
    EXPECT_EQ(batch->state, BatchState::done);
    EXPECT_EQ(batch->done, 1'198);
    EXPECT_EQ(batch->refused, 2);
    EXPECT_EQ(places(), "executable=1200 dead=2");
}

TEST_F(BatchAdminTest, Who_carries_it_out_stops_when_somebody_pauses_it) {
    insert_dead(5'500);
    const Batch begun = begin();
    const auto paused =
        batches_.carry_out(begun.id, {.on_page = [&](const BulkCounts&) {
                               EXPECT_EQ(batches_.pause(begun.id)->state, BatchState::paused);
                               return true;
                           }});
    EXPECT_EQ(paused->state, BatchState::paused);
    EXPECT_LT(paused->done, 5'500);
    EXPECT_EQ(batches_.resume(begun.id)->state, BatchState::running);
    EXPECT_EQ(batches_.carry_out(begun.id)->done, 5'500);
    EXPECT_EQ(batches_.cancel(begun.id)->state, BatchState::done);
}

TEST_F(BatchAdminTest, They_are_listed_page_by_page_and_forgotten) {
    const Batch first = begin();
    clock_.tick(1s);
    const Batch second = begin();
    const auto page = batches_.list("", 1);
    EXPECT_EQ(page.items.front().id, second.id);
    EXPECT_TRUE(page.has_more);
    EXPECT_EQ(batches_.list(second.id, 1).items.front().id, first.id);
    EXPECT_TRUE(batches_.remove(first.id));
    EXPECT_FALSE(batches_.find(first.id));
}

}  // namespace

}  // namespace jobstrand::deadletter
