#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::JobCopy;
using persistence::SuspensionScope;
using testing::ElementsAre;

/// Suspended jobs that come from another database.
class SuspendedCopiesTest : public StoreTest {
protected:
    [[nodiscard]] static JobCopy copy_of(Job job) {
        return {.job = std::move(job), .details = "at line 7"};
    }

    [[nodiscard]] std::vector<bool> restore(const std::vector<JobCopy>& copies) {
        return store_.jobs().restore(JobPlace::suspended, copies);
    }

    void suspend(std::string_view instance) {
        (void)store_.jobs().suspend(SuspensionScope::instance, instance, clock_.now());
    }
    void activate(std::string_view instance) {
        (void)store_.jobs().activate(SuspensionScope::instance, instance, clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    SuspendedCopiesTest,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(SuspendedCopiesTest, Each_field_comes_back_with_the_long_texts) {
    suspend("p");
    JobCopy copy = copy_of(full_job("a"));
    copy.job.process_instance_id = "p";
    copy.job.unique_key = "k";
    copy.job.due_date = clock_.now();
    copy.job.create_time = clock_.now();
    copy.job.payload = std::string(5000, 'p');
    EXPECT_THAT(restore({copy}), ElementsAre(true));
    EXPECT_EQ(place_of("a"), "suspended");
    Job back = job("a");
    EXPECT_EQ(store_.jobs().exception_details(back), "at line 7");
    back.exception_stack_id = copy.job.exception_stack_id;
    back.custom_values_id = copy.job.custom_values_id;
    Job wanted = copy.job;
    wanted.revision = 1;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(JobPlace::suspended)) {
            std::visit(
                [&](const auto member) { EXPECT_EQ(back.*member, wanted.*member) << field.name; },
                field.member
            );
        }
    }
}

TEST_P(SuspendedCopiesTest, They_go_on_with_what_they_belong_to) {
    suspend("p");
    const Job timer =
        a_job("b").of_instance("p").of_kind(schema::kTimerType).due_at(clock_.now() + 1h);
    EXPECT_THAT(
        restore({copy_of(a_job("a").of_instance("p")), copy_of(timer)}), ElementsAre(true, true)
    );
    activate("p");
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("b"), "timer");
}

// It would wait for ever.
TEST_P(SuspendedCopiesTest, One_of_which_nothing_is_suspended_is_left_out) {
    suspend("p");
    EXPECT_THAT(
        restore({copy_of(a_job("a").of_instance("q")), copy_of(a_job("b").of_instance("p"))}),
        ElementsAre(false, true)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 1);
}

TEST_P(SuspendedCopiesTest, They_have_their_unique_keys_and_one_whose_key_is_held_is_left_out) {
    suspend("p");
    ASSERT_THAT(
        restore({copy_of(a_job("holder").of_instance("p").with_key("taken"))}), ElementsAre(true)
    );
    EXPECT_THAT(
        restore(
            {copy_of(a_job("a").of_instance("p").with_key("taken")),
             copy_of(a_job("b").of_instance("p").with_key("free"))}
        ),
        ElementsAre(false, true)
    );
    EXPECT_EQ(store_.jobs().key_owner("taken").value().job, "holder");
    EXPECT_EQ(store_.jobs().key_owner("free").value().job, "b");
}

// I1: one place.
TEST_P(SuspendedCopiesTest, One_whose_id_a_job_has_is_left_out) {
    suspend("p");
    insert(JobPlace::dead_letter, a_job("a").of_instance("p").of_type("other"));
    EXPECT_THAT(restore({copy_of(a_job("a").of_instance("p"))}), ElementsAre(false));
    EXPECT_EQ(job("a").handler_type, "other");
}

TEST_P(SuspendedCopiesTest, What_has_been_changed_since_it_was_read_is_not_removed) {
    suspend("p");
    insert(JobPlace::executable, {a_job("a").of_instance("p"), a_job("b").of_instance("p")});
    const std::vector<Job> as_read{job("a"), job("b"), a_job("gone")};
    ASSERT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(
        store_.jobs().change(
            JobPlace::suspended, "b", {schema::set_to(&Job::priority, 7)}, clock_.now()
        ),
        JobAnswer::done
    );
    EXPECT_THAT(
        store_.jobs().remove_as_read(JobPlace::suspended, as_read, clock_.now()),
        ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::not_found)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(place_of("b"), "suspended");
}

// I9.
TEST_P(SuspendedCopiesTest, A_commit_in_doubt_that_was_done_is_not_done_twice) {
    suspend("p");
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    EXPECT_THAT(restore({copy_of(a_job("a").of_instance("p"))}), ElementsAre(true));
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    const std::vector<Job> as_read{job("a")};
    EXPECT_THAT(
        store_.jobs().remove_as_read(JobPlace::suspended, as_read, clock_.now()),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
}

}  // namespace

}  // namespace jobstrand::test
