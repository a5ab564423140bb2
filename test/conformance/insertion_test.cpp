#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/store_test.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::ElementsAre;

class Insertion : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Insertion,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Insertion, Each_job_goes_to_its_place) {
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("e")},
         {JobPlace::timer, a_job("t").due_at(clock_.now())},
         {JobPlace::suspended, a_job("s")},
         {JobPlace::dead_letter, a_job("d")},
         {JobPlace::external_worker, a_job("x").of_kind(schema::kExternalWorkerType)}}
    );
    EXPECT_EQ(place_of("e"), "executable");
    EXPECT_EQ(place_of("t"), "timer");
    EXPECT_EQ(place_of("s"), "suspended");
    EXPECT_EQ(place_of("d"), "dead");
    EXPECT_EQ(place_of("x"), "external");
}

TEST_P(Insertion, The_answer_is_what_was_stored) {
    const Job stored = insert(JobPlace::executable, a_job("a").with_payload("{}").build());
    EXPECT_EQ(stored, job("a"));
}

TEST_P(Insertion, The_order_of_the_answer_is_the_order_of_the_question) {
    EXPECT_THAT(
        ids_of(insert(JobPlace::executable, std::vector<Job>{a_job("b"), a_job("c"), a_job("a")})),
        ElementsAre("b", "c", "a")
    );
}

TEST_P(Insertion, Nothing_to_insert_is_no_error) {
    EXPECT_TRUE(store_.enqueuer().insert(std::vector<PlacedJob>{}).empty());
}

// R153
TEST_P(Insertion, A_caller_decides_with_its_transaction_whether_the_job_exists) {
    store_.enqueuer().in_transaction(
        [this](Transaction& transaction) {
            store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("kept")}});
        },
        {}
    );
    EXPECT_THROW(
        store_.enqueuer().in_transaction(
            [this](Transaction& transaction) {
                store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("dropped")}});
                throw std::runtime_error("the app changed its mind");
            },
            {}
        ),
        std::runtime_error
    );
    EXPECT_EQ(place_of("kept"), "executable");
    EXPECT_EQ(place_of("dropped"), "nowhere");
}

TEST_P(Insertion, A_job_can_be_inserted_already_locked) {
    Job locked = a_job("a");
    locked.lock_owner = "node-1";
    locked.lock_expiration = clock_.now() + 5min;
    insert(JobPlace::executable, locked);
    EXPECT_TRUE(acquire().empty());
    EXPECT_EQ(job("a").lock_expiration, clock_.now() + 5min);
}

class DuplicateInsertion : public StoreTest {
protected:
    void expect_duplicate(std::vector<PlacedJob> jobs) {
        try {
            store_.enqueuer().insert(std::move(jobs));
            ADD_FAILURE() << "the duplicate was taken";
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), DbErrorKind::duplicate_key) << error.what();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    DuplicateInsertion,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(DuplicateInsertion, An_id_exists_once_over_all_places) {
    for (const JobPlace existing : schema::kJobPlaces) {
        const std::string id(schema::name_of(existing));
        insert(existing, a_job(id).build());
        for (const JobPlace place : schema::kJobPlaces) {
            expect_duplicate({{place, a_job(id)}});
        }
        EXPECT_EQ(place_of(id), schema::name_of(existing));
    }
}

TEST_P(DuplicateInsertion, Two_jobs_of_one_id_are_refused) {
    expect_duplicate({{JobPlace::executable, a_job("a")}, {JobPlace::executable, a_job("a")}});
    expect_duplicate({{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("a")}});
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_P(DuplicateInsertion, One_duplicate_among_many_jobs_keeps_all_of_them_out) {
    insert(JobPlace::timer, a_job("j599").due_at(clock_.now()).build());
    std::vector<PlacedJob> jobs;
    for (const Job& one : many_jobs("j", 600)) {
        jobs.push_back({JobPlace::executable, one});
    }
    expect_duplicate(jobs);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

TEST_P(Insertion, A_failure_in_the_middle_keeps_all_jobs_out) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::storage_full, .skip = 1});
    EXPECT_THROW(
        store_.enqueuer().insert(
            {{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("b").due_at(clock_.now())}}
        ),
        DbError
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(place_of("b"), "nowhere");
}

TEST_P(Insertion, A_conflict_in_the_middle_is_tried_again) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict});
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(Insertion, Any_number_of_jobs_goes_in_at_once) {
    insert(JobPlace::executable, many_jobs("j", 731));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 731);
}

}  // namespace

}  // namespace jobstrand::test
