#include "test/conformance/store_test.hpp"

#include <algorithm>
#include <map>

namespace jobstrand::test {

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Jobs that are named, more of them than one transaction takes, are removed and requeued alike.
class NamedJobs : public StoreTest {
protected:
    using Answers = std::vector<JobAnswer>;

    Answers remove(const std::vector<std::string>& ids, JobPlace place = JobPlace::executable) {
        return store_.jobs().remove(place, ids, clock_.now());
    }

    Answers requeue(const std::vector<std::string>& ids) {
        return store_.jobs().requeue(ids, 3, std::nullopt, clock_.now());
    }

    /// Those of jobs that stand in a place.
    std::vector<std::string> insert_many(JobPlace place, std::size_t count) {
        std::vector<std::string> ids = ids_of(insert(place, many_jobs("j", count)));
        return ids;
    }

    static std::map<JobAnswer, int> counted(const Answers& answers) {
        std::map<JobAnswer, int> counts;
        for (const JobAnswer answer : answers) {
            ++counts[answer];
        }
        return counts;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    NamedJobs,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(NamedJobs, No_ids_mean_no_jobs) {
    insert_many(JobPlace::executable, 3);
    insert(JobPlace::dead_letter, a_job("dead"));
    EXPECT_THAT(remove({}), IsEmpty());
    EXPECT_THAT(requeue({}), IsEmpty());
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 3);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 1);
}

TEST_P(NamedJobs, Answers_come_in_the_order_of_the_ids_whatever_that_is) {
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("c"), a_job("e")});
    EXPECT_THAT(
        remove({"e", "d", "a", "", "x", "c"}),
        ElementsAre(
            JobAnswer::done,
            JobAnswer::not_found,
            JobAnswer::done,
            JobAnswer::not_found,
            JobAnswer::not_found,
            JobAnswer::done
        )
    );
    insert(JobPlace::dead_letter, std::vector<Job>{a_job("a"), a_job("c")});
    EXPECT_THAT(
        requeue({"c", "b", "a"}),
        ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::done)
    );
}

TEST_P(NamedJobs, An_id_that_is_named_twice_is_answered_twice_and_changed_once) {
    insert(JobPlace::executable, a_job("a"));
    EXPECT_THAT(
        remove({"a", "b", "a"}), ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::done)
    );
    const Job dead = insert(JobPlace::dead_letter, a_job("dead"));
    EXPECT_THAT(requeue({"dead", "dead"}), ElementsAre(JobAnswer::done, JobAnswer::done));
    EXPECT_EQ(job("dead").revision, dead.revision + 1);
}

TEST_P(NamedJobs, What_a_node_holds_stays_and_the_others_go) {
    std::vector<std::string> ids = insert_many(JobPlace::executable, 1500);
    const std::vector<Job> held = acquire(20);
    ASSERT_EQ(held.size(), 20U);
    std::ranges::reverse(ids);
    const Answers answers = remove(ids);
    EXPECT_EQ(counted(answers)[JobAnswer::locked], 20);
    EXPECT_EQ(counted(answers)[JobAnswer::done], 1480);
    for (const Job& job : held) {
        const auto index = std::ranges::find(ids, job.id) - ids.begin();
        EXPECT_EQ(answers[static_cast<std::size_t>(index)], JobAnswer::locked) << job.id;
    }
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 20);
}

TEST_P(NamedJobs, Only_jobs_of_the_place_are_removed) {
    insert(JobPlace::executable, a_job("a"));
    insert(JobPlace::dead_letter, a_job("b"));
    EXPECT_THAT(
        remove({"a", "b"}, JobPlace::dead_letter),
        ElementsAre(JobAnswer::not_found, JobAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(NamedJobs, A_commit_in_doubt_that_came_through_is_not_done_again) {
    const std::vector<std::string> ids = insert_many(JobPlace::dead_letter, 3);
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    EXPECT_THAT(requeue(ids), Each(JobAnswer::done));
    EXPECT_EQ(job(ids.front()).revision, 2);
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    EXPECT_THAT(remove(ids), Each(JobAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

}  // namespace

}  // namespace jobstrand::test
