#include "test/conformance/order/order_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;

/// A node that ends one job in each ten seconds, in which one of a high priority comes.
class Aging : public Orders {
protected:
    static constexpr schema::Duration kStep = 10s;

    /// When the job "low" of priority 0 was taken; nullopt: not in an hour.
    [[nodiscard]] std::optional<schema::Duration> low_is_taken(std::int64_t high) {
        add("low", 0s);
        for (schema::Duration since{0}; since <= 1h; since += kStep) {
            add(fmt::format("high-{:06}", since / 1s), since, {}, high);
            if (take(1) == std::vector<std::string>{"low"}) {
                return since;
            }
            behind_.clear();
        }
        return std::nullopt;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Aging,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R015
TEST_P(Aging, Without_it_a_low_priority_starves_while_higher_ones_keep_coming) {
    use({.by_priority = true});
    EXPECT_EQ(low_is_taken(5), std::nullopt);
}

// B6: five steps, each worth a minute. A job that is as old as that by its worth comes before it.
TEST_P(Aging, With_it_the_low_priority_runs_when_it_has_waited_for_what_the_steps_are_worth) {
    use({.by_priority = true, .aging = 1min});
    EXPECT_EQ(low_is_taken(5), 5min + kStep);
}

TEST_P(Aging, A_due_date_is_what_the_wait_of_a_timer_counts_from) {
    use({.by_priority = true, .aging = 1min});
    add("timer", 0s, 10min, 1);
    add("a", 8min);
    add("b", 9min + 30s);
    EXPECT_THAT(take(), ElementsAre("a", "timer", "b"));
}

TEST_P(Aging, Extreme_priorities_are_as_strict_as_without_it) {
    use({.by_priority = true, .aging = 24h});
    using Limits = std::numeric_limits<std::int64_t>;
    add("d", 0s, {}, Limits::min());
    add("c", 0s, {}, 0);
    add("b", 1h, {}, 1);
    add("a", 2h, {}, Limits::max());
    EXPECT_THAT(take(), ElementsAre("a", "b", "c", "d"));
}

TEST_P(Aging, Pages_of_many_priorities_are_in_order) {
    use({.by_priority = true, .aging = 1min});
    for (int i = 0; i < 60; ++i) {
        // The higher the priority the later it was created: all are worth the same but for 1 s.
        add(fmt::format("j{:02}", i), i * 61s, {}, i);
    }
    std::vector<std::string> all;
    for (std::vector<std::string> page; !(page = take(7)).empty();) {
        all.insert(all.end(), page.begin(), page.end());
    }
    EXPECT_EQ(all.size(), 60U);
    EXPECT_TRUE(std::ranges::is_sorted(all));
}

}  // namespace

}  // namespace jobstrand::test
