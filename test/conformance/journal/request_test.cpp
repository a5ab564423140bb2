#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::RememberedRequest;
using persistence::RepeatableRequest;
using persistence::RequestStore;
using persistence::Transaction;

/// Requests that are carried out once, however often they come.
class Requests : public StoreTest {
protected:
    /// What the request was answered before; nullopt: it is carried out now, and answered 201.
    std::optional<RememberedRequest> ask(
        std::string_view digest,
        std::optional<schema::TimePoint> at = {},
        std::string_view answer = "first"
    ) {
        const schema::TimePoint now = at.value_or(now_);
        const RepeatableRequest request{
            .key = "order-17", .digest = digest, .now = now, .until = now + 24h};
        std::optional<RememberedRequest> remembered;
        store_.enqueuer().in_transaction(
            [&](Transaction& transaction) {
                remembered = RequestStore::take_request(transaction, request);
                if (!remembered) {
                    RequestStore::answer_request(transaction, request.key, 201, answer);
                }
            },
            {}
        );
        return remembered;
    }

    [[nodiscard]] std::optional<RememberedRequest> find() {
        std::optional<RememberedRequest> found;
        store_.enqueuer().in_transaction(
            [&](Transaction& transaction) {
                found = RequestStore::find_request(transaction, "order-17");
            },
            {}
        );
        return found;
    }

    const schema::TimePoint now_ = clock_.now();
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Requests,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Requests, A_request_that_comes_again_gets_the_answer_of_the_first) {
    EXPECT_FALSE(ask("aaaa"));
    const RememberedRequest first{.digest = "aaaa", .status = 201, .answer = "first"};
    EXPECT_EQ(ask("aaaa"), first);
    EXPECT_EQ(ask("bbbb"), first);
    EXPECT_EQ(find(), first);
}

TEST_P(Requests, An_answer_may_be_long_and_in_any_language) {
    const std::string answer = "Z\xC3\xBCrich" + std::string(400'000, 'x');
    EXPECT_FALSE(ask("aaaa", now_, answer));
    EXPECT_EQ(ask("aaaa").value().answer, answer);
}

TEST_P(Requests, One_that_was_rolled_back_was_never_there) {
    EXPECT_THROW(
        store_.enqueuer().in_transaction(
            [&](Transaction& transaction) {
                (void)RequestStore::take_request(
                    transaction,
                    {.key = "order-17", .digest = "aaaa", .now = now_, .until = now_ + 24h}
                );
                throw std::runtime_error("no job could be added");
            },
            {}
        ),
        std::runtime_error
    );
    EXPECT_FALSE(find());
    EXPECT_FALSE(ask("bbbb"));
}

TEST_P(Requests, When_its_time_is_over_it_is_new_again) {
    EXPECT_FALSE(ask("aaaa"));
    EXPECT_TRUE(ask("bbbb", now_ + 24h));
    EXPECT_FALSE(ask("bbbb", now_ + 24h + 1ms, "second"));
    EXPECT_EQ(
        ask("bbbb", now_ + 48h),
        (RememberedRequest{.digest = "bbbb", .status = 201, .answer = "second"})
    );
}

TEST_P(Requests, Only_those_whose_time_is_over_are_forgotten) {
    EXPECT_FALSE(ask("aaaa"));
    store_.requests().forget_requests(now_ + 24h);
    EXPECT_TRUE(find());
    store_.requests().forget_requests(now_ + 24h + 1ms);
    EXPECT_FALSE(find());
}

}  // namespace

}  // namespace jobstrand::test
