#include "executor/enqueue/bulk_enqueue.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {

namespace {

using schema::JobPlace;

[[nodiscard]] NewJob a_new_job(const std::string& id) {
    NewJob job;
    job.job.id = id;
    job.job.handler_type = "noop";
    return job;
}

[[nodiscard]] NewJob a_new_series(const std::string& id, const std::string& key) {
    NewJob job = a_new_job(id);
    job.job.repeat = "R/P1Y";
    job.job.series = key;
    return job;
}

/// Jobs with the numbers 1, 2, ...
class ListedJobs final : public NewJobSource {
public:
    explicit ListedJobs(std::vector<NewJob> jobs) : jobs_(std::move(jobs)) {}

    void rewind() override { at_ = 0; }

    std::optional<NumberedJob> next() override {
        if (at_ == jobs_.size()) {
            return std::nullopt;
        }
        ++at_;
        return NumberedJob{.number = static_cast<std::int64_t>(at_), .job = jobs_[at_ - 1]};
    }

private:
    const std::vector<NewJob> jobs_;
    std::size_t at_ = 0;
};

class BulkEnqueueTest : public testing::Test {
protected:
    std::int64_t count(JobPlace place) { return store_.count(place, {}); }

    const test::SqliteFile file_;
    schema::ManualClock clock_;
    const test::OpenStore sql_store_{file_.url_text()};
    persistence::OperatorStore& store_ = sql_store_->jobs();
    test::RecordingIntake intake_;
    const WakeUps wake_ups_;
    JobProducer producer_{{sql_store_->enqueuer(), intake_, clock_, wake_ups_}, {}};
    BulkEnqueue bulk_{
        {sql_store_->enqueuer(), sql_store_->series()},
        producer_,
        *sql_store_->ids()};
};

TEST_F(BulkEnqueueTest, One_job_is_enqueued_and_one_that_repeats_begins_a_series) {
    EXPECT_EQ(bulk_.enqueue(a_new_job("a")).id, "a");
    const std::string turn = bulk_.enqueue(a_new_series("", "s")).id;
    EXPECT_EQ(store_.find(turn).value().job.series, "s");
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(count(JobPlace::timer), 1);
}

TEST_F(BulkEnqueueTest, The_ids_of_new_series_are_those_of_the_engine) {
    sql_store_->ids()->keep_to([](std::string_view id) { return id.back() == '7'; });
    for (const schema::Enqueued& one :
         bulk_.enqueue_all({a_new_series("", ""), a_new_series("", ""), a_new_series("", "")})) {
        EXPECT_EQ(one.id.back(), '7');
    }
}

// R145
TEST_F(BulkEnqueueTest, A_series_that_starts_paused_waits_from_its_first_turn) {
    NewJob job = a_new_series("a", "s");
    job.starts_paused = true;
    bulk_.enqueue(job);
    EXPECT_EQ(count(JobPlace::suspended), 1);
    EXPECT_EQ(count(JobPlace::timer), 0);
}

TEST_F(BulkEnqueueTest, Many_jobs_are_enqueued_all_or_none) {
    bulk_.enqueue_all({a_new_job("a"), a_new_series("b", "s")});
    EXPECT_THROW(bulk_.enqueue_all({a_new_job("c"), a_new_series("d", "s")}), persistence::DbError);
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(count(JobPlace::timer), 1);
}

TEST_F(BulkEnqueueTest, An_import_of_all_that_meets_a_taken_name_adds_none) {
    bulk_.enqueue(a_new_job("b"));
    ListedJobs jobs({a_new_job("a"), a_new_job("b")});
    EXPECT_THROW((void)bulk_.import_all(jobs, 2), persistence::DbError);
    EXPECT_EQ(count(JobPlace::executable), 1);
}

TEST_F(BulkEnqueueTest, A_source_that_changed_adds_none) {
    ListedJobs jobs({a_new_job("a"), a_new_job("b")});
    EXPECT_THROW((void)bulk_.import_all(jobs, 3), SourceChanged);
    EXPECT_EQ(count(JobPlace::executable), 0);
    EXPECT_EQ(bulk_.import_all(jobs, 2).added, 2);
    EXPECT_EQ(count(JobPlace::executable), 2);
}

TEST_F(BulkEnqueueTest, An_import_of_each_leaves_out_what_is_taken_and_says_which) {
    bulk_.enqueue_all({a_new_job("b"), a_new_series("x", "s")});
    ListedJobs jobs({a_new_job("a"), a_new_job("b"), a_new_series("y", "s"), a_new_job("c")});
    std::string taken;
    const EnqueueWatch watch{
        .on_taken =
            [&](std::int64_t number, const TakenName& name) {
                taken += std::to_string(number) + (name.is_series ? " series " : " job ") +
                         name.name + "; ";
            },
    };
    EXPECT_EQ(bulk_.import_each(jobs, watch).added, 2);
    EXPECT_EQ(taken, "2 job b; 3 series s; ");
    EXPECT_EQ(count(JobPlace::executable), 3);
}

/// `jobs instance|series`, for each kind of job that was stored suspended.
[[nodiscard]] EnqueueWatch tell_suspended(std::string& told) {
    return {
        .on_suspended =
            [&told](const std::vector<SuspendedNewJobs>& all) {
                for (const auto& [like, jobs] : all) {
                    told += std::to_string(jobs) + ' ' + like.process_instance_id + '|' +
                            like.series + "; ";
                }
            },
    };
}

TEST_F(BulkEnqueueTest, An_import_tells_which_jobs_are_stored_suspended) {
    store_.suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    const auto of_instance = [](const std::string& id, const std::string& instance) {
        NewJob job = a_new_job(id);
        job.job.process_instance_id = instance;
        return job;
    };
    NewJob paused = a_new_series("d", "s");
    paused.starts_paused = true;
    const std::vector<NewJob> all{
        of_instance("a", "i"), of_instance("b", "i"), of_instance("c", "j"), paused};
    ListedJobs jobs(all);
    std::string told;
    EXPECT_EQ(bulk_.import_all(jobs, 4, tell_suspended(told)).added, 4);
    EXPECT_EQ(told, "1 |s; 2 i|; ");
}

TEST_F(BulkEnqueueTest, What_an_import_leaves_out_is_not_told_as_suspended) {
    store_.suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    NewJob job = a_new_job("a");
    job.job.process_instance_id = "i";
    bulk_.enqueue(job);
    NewJob other = job;
    other.job.id = "b";
    ListedJobs jobs({job, other});
    std::string told;
    EXPECT_EQ(bulk_.import_each(jobs, tell_suspended(told)).added, 1);
    EXPECT_EQ(told, "1 i|; ");
}

[[nodiscard]] NewJob with_key(const std::string& id, const std::string& key, schema::KeyRule rule) {
    NewJob job = a_new_job(id);
    job.job.unique_key = key;
    job.key_rule = rule;
    return job;
}

constexpr schema::KeyRule kKeepFirst{.on_duplicate = schema::OnDuplicate::keep};
constexpr schema::KeyRule kReplaceFirst{.on_duplicate = schema::OnDuplicate::replace};

// B8
TEST_F(BulkEnqueueTest, What_became_of_each_is_told_in_its_place) {
    const auto enqueued = bulk_.enqueue_all(
        {with_key("a", "k", {}),
         a_new_series("b", "s"),
         with_key("c", "k", kKeepFirst),
         a_new_job("d")}
    );
    ASSERT_EQ(enqueued.size(), 4U);
    EXPECT_EQ(enqueued[0].id, "a");
    EXPECT_EQ(enqueued[1].id, "b");
    EXPECT_EQ(enqueued[2], (schema::Enqueued{.id = "a", .is_added = false}));
    EXPECT_EQ(enqueued[3].id, "d");
    EXPECT_EQ(count(JobPlace::executable), 2);
}

// B8
TEST_F(BulkEnqueueTest, An_import_counts_what_was_kept_out_and_what_made_room) {
    bulk_.enqueue(with_key("old", "k", {}));
    const std::vector<NewJob> all{
        with_key("a", "k", kKeepFirst), with_key("b", "k", kReplaceFirst), a_new_job("c")};
    ListedJobs jobs(all);
    const EnqueueCounts counts = bulk_.import_all(jobs, 3);
    EXPECT_EQ(counts.added, 2);
    EXPECT_EQ(counts.kept_out, 1);
    EXPECT_EQ(counts.replaced, 1);
    EXPECT_EQ(count(JobPlace::executable), 2);
}

// B8
TEST_F(BulkEnqueueTest, An_import_of_each_leaves_out_whose_key_is_held_and_says_who_has_it) {
    bulk_.enqueue(with_key("old", "k", {}));
    ListedJobs jobs({a_new_job("a"), with_key("b", "k", {}), with_key("c", "other", {})});
    std::string taken;
    const EnqueueWatch watch{.on_taken = [&](std::int64_t number, const TakenName& name) {
        taken += std::to_string(number) + ' ' + name.why;
    }};
    EXPECT_EQ(bulk_.import_each(jobs, watch).added, 2);
    EXPECT_EQ(taken, "2 job old has the unique key k");
    EXPECT_EQ(count(JobPlace::executable), 3);
}

TEST_F(BulkEnqueueTest, A_rule_without_a_key_and_a_key_of_a_series_are_refused) {
    EXPECT_THROW(bulk_.enqueue(with_key("a", "", kKeepFirst)), std::invalid_argument);
    NewJob series = a_new_series("b", "s");
    series.job.unique_key = "k";
    EXPECT_THROW(bulk_.enqueue(series), std::invalid_argument);
    EXPECT_THROW(
        producer_.start_series({.key = "s", .repeat = "R/PT1H"}, with_key("c", "k", {}).job),
        std::invalid_argument
    );
    EXPECT_EQ(count(JobPlace::executable) + count(JobPlace::timer), 0);
}

TEST(NewNames, A_name_is_new_once) {
    NewNames names;
    EXPECT_FALSE(names.add(a_new_job("a")));
    EXPECT_FALSE(names.add(a_new_job("")));
    EXPECT_FALSE(names.add(a_new_job("")));
    EXPECT_EQ(names.add(a_new_job("a")).value().name, "a");
    EXPECT_FALSE(names.add(a_new_series("b", "s")));
    EXPECT_TRUE(names.add(a_new_series("c", "s")).value().is_series);
}

}  // namespace

}  // namespace jobstrand::executor
