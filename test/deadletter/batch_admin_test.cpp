#include "deadletter/batch_admin.hpp"

#include "test/deadletter/admin_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;

using schema::Batch;
using schema::BatchOperation;
using schema::BatchState;
using schema::JobPlace;

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
