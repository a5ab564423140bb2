#include "schema/clock.hpp"

#include "persistence/sql/dialect.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/signal.hpp"

namespace jobstrand::test {

namespace {

class ItsClock : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ItsClock,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// I6
TEST_P(ItsClock, Is_read_in_utc_and_to_the_millisecond) {
    const auto shown = store_.database_now();
    if (!connection_->dialect().has_own_clock()) {
        EXPECT_EQ(shown, std::nullopt);
        return;
    }
    ASSERT_TRUE(shown);
    // The server may run on another machine; a wrong zone would be a quarter of an hour off.
    EXPECT_LT(std::chrono::abs(*shown - schema::SystemClock().now()), 1min);
    EXPECT_TRUE(eventually([&] { return store_.database_now()->time_since_epoch() % 1s != 0ms; }));
}

}  // namespace

}  // namespace jobstrand::test
