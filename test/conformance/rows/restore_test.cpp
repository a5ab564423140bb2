#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::JobCopy;
using testing::ElementsAre;
using testing::IsEmpty;

/// Dead letters that were kept elsewhere come back.
class RestoreTest : public StoreTest {
protected:
    /// All columns of a dead letter, as it is read from the store.
    [[nodiscard]] JobCopy copy_of(const std::string& id) {
        JobCopy copy{.job = full_job(id), .details = "at line 7"};
        copy.job.retries = 0;
        copy.job.due_date = clock_.now();
        copy.job.create_time = clock_.now();
        copy.job.failed_time = clock_.now();
        copy.job.payload = std::string(5000, 'p');
        return copy;
    }

    [[nodiscard]] std::vector<bool> restore(const std::vector<JobCopy>& copies) {
        return store_.jobs().restore(schema::JobPlace::dead_letter, copies);
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    RestoreTest,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(RestoreTest, Each_field_comes_back_with_the_long_texts) {
    const JobCopy copy = copy_of("a");
    EXPECT_THAT(restore({copy}), ElementsAre(true));
    EXPECT_EQ(place_of("a"), "dead");
    Job back = job("a");
    EXPECT_EQ(store_.jobs().exception_details(back), "at line 7");
    EXPECT_NE(back.exception_stack_id, copy.job.exception_stack_id);
    EXPECT_NE(back.custom_values_id, copy.job.custom_values_id);
    back.exception_stack_id = copy.job.exception_stack_id;
    back.custom_values_id = copy.job.custom_values_id;
    Job wanted = copy.job;
    wanted.revision = 1;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(JobPlace::dead_letter)) {
            std::visit(
                [&](const auto member) { EXPECT_EQ(back.*member, wanted.*member) << field.name; },
                field.member
            );
        }
    }
}

// I1: one place.
TEST_P(RestoreTest, One_whose_id_a_job_has_in_any_place_is_left_out) {
    insert(JobPlace::timer, a_job("b").of_type("other"));
    insert(JobPlace::dead_letter, a_job("d").of_type("other"));
    EXPECT_THAT(
        restore({copy_of("d"), copy_of("c"), copy_of("b"), copy_of("a"), copy_of("c")}),
        ElementsAre(false, true, false, true, false)
    );
    EXPECT_EQ(store_.jobs().count(JobPlace::dead_letter, {}), 3);
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("d").handler_type, "other");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 4);
    EXPECT_THAT(restore({copy_of("a"), copy_of("c")}), ElementsAre(false, false));
}

TEST_P(RestoreTest, One_that_is_removed_leaves_nothing_behind) {
    EXPECT_THAT(restore({copy_of("a")}), ElementsAre(true));
    (void)store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"a"}, clock_.now());
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
}

TEST_P(RestoreTest, No_copies_are_no_work) {
    EXPECT_THAT(restore({}), IsEmpty());
}

// I9.
TEST_P(RestoreTest, A_commit_in_doubt_that_was_done_is_not_done_twice) {
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    EXPECT_THAT(restore({copy_of("a"), copy_of("b")}), ElementsAre(true, true));
    EXPECT_EQ(store_.jobs().count(JobPlace::dead_letter, {}), 2);
}

}  // namespace

}  // namespace jobstrand::test
