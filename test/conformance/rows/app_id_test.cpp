#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using testing::ElementsAre;
using testing::IsEmpty;

/// What an app calls its instances and definitions: any text, in every place where it is looked
/// for.
class AppIds : public StoreTest {
protected:
    static constexpr const char* kOrder = "ørder";
    static constexpr const char* kAnother = "ÖRDER";  // Upper case of a neighbour of it.
    static constexpr const char* kChinese = "注文-17";

    void insert_of(const std::string& instance, const std::string& id) {
        insert(JobPlace::executable, a_job(id).of_instance(instance).of_definition(instance));
    }

    [[nodiscard]] std::vector<std::string> of_instance(const std::string& instance) {
        const JobFilter filter{
            .fields = {persistence::equals(&Job::process_instance_id, instance)}};
        return store_.jobs().list_ids(JobPlace::executable, filter, "", 10);
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    AppIds,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(AppIds, Are_any_text_that_compares_by_its_characters) {
    insert_of(kOrder, "a");
    insert_of(kAnother, "b");
    insert_of(kChinese, "c");
    EXPECT_THAT(of_instance(kOrder), ElementsAre("a"));
    EXPECT_THAT(of_instance(kChinese), ElementsAre("c"));
    EXPECT_THAT(of_instance("order"), IsEmpty());
    EXPECT_EQ(job("c").process_definition_id, kChinese);
}

TEST_P(AppIds, Are_suspended_listed_and_activated) {
    insert_of(kOrder, "a");
    insert_of(kChinese, "b");
    for (const SuspensionScope scope : {SuspensionScope::instance, SuspensionScope::definition}) {
        EXPECT_EQ(store_.jobs().suspend(scope, kChinese, clock_.now()), 1);
        EXPECT_EQ(place_of("b"), "suspended");
        EXPECT_EQ(place_of("a"), "executable");
        EXPECT_EQ(store_.jobs().suspensions_of(job("b")).size(), 1U);
        const auto listed = store_.jobs().scopes(scope, "", 10);
        ASSERT_EQ(listed.size(), 2U);
        EXPECT_EQ(listed[0].id, kOrder);
        EXPECT_EQ(listed[1].id, kChinese);
        EXPECT_TRUE(listed[1].suspended_since);
        EXPECT_EQ(store_.jobs().activate(scope, kChinese, clock_.now()), 1);
        EXPECT_EQ(place_of("b"), "executable");
    }
}

// I4
TEST_P(AppIds, Exclude_each_other_like_all_others) {
    insert_of(kChinese, "a");
    const std::vector<Job> first = acquire();
    ASSERT_EQ(first.size(), 1U);
    insert_of(kChinese, "b");
    insert_of(kOrder, "c");
    EXPECT_THAT(ids_of(acquire(100, "node-2")), ElementsAre("c"));
    EXPECT_EQ(store_.jobs().awaited_group(job("b"))->group, kChinese);
    const Outcome done = completed_outcome(first[0]);
    EXPECT_THAT(
        store_.executor().apply("node-1", std::span(&done, 1)), ElementsAre(OutcomeAnswer::done)
    );
    const persistence::GroupEnd end{.group = kChinese, .claimed = 1, .began = claim_of("").until};
    const auto passed =
        store_.executor().pass_on(claim_of("node-1"), noop_, 1'000'000, std::span(&end, 1));
    EXPECT_THAT(ids_of(passed.jobs), ElementsAre("b"));
}

TEST_P(AppIds, Of_the_greatest_length_can_be_stored) {
    std::string longest;
    for (int i = 0; i < 64; ++i) {
        longest += "🙂";
    }
    insert_of(longest, "a");
    EXPECT_THAT(of_instance(longest), ElementsAre("a"));
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::instance, longest, clock_.now()), 1);
    EXPECT_EQ(place_of("a"), "suspended");
}

}  // namespace

}  // namespace jobstrand::test
