#include "test/conformance/store_test.hpp"

#include <atomic>
#include <future>
#include <set>
#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::NamedLock;
using testing::ElementsAre;
using testing::IsEmpty;

/// Locks of an app's own, which are over by the clock of the database.
class NamedLocks : public StoreTest {
protected:
    [[nodiscard]] NamedLock acquire(std::string_view owner, std::string_view name = "books") {
        return store_.named_locks().acquire({name, owner, 1min}, clock_.now());
    }

    [[nodiscard]] bool renew(std::string_view owner) {
        return store_.named_locks().renew({"books", owner, 1min}, clock_.now()).has_value();
    }

    bool release(std::string_view owner) {
        return store_.named_locks().release("books", owner, clock_.now());
    }

    [[nodiscard]] std::vector<std::string>
    held(std::string_view behind = {}, std::size_t limit = 9) {
        std::vector<std::string> names;
        for (const NamedLock& lock : store_.named_locks().list(behind, limit, clock_.now())) {
            names.push_back(lock.name + " " + lock.owner);
        }
        return names;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    NamedLocks,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(NamedLocks, One_owner_has_it_and_others_hear_who_and_until_when) {
    const NamedLock first = acquire("a");
    EXPECT_EQ(first.owner, "a");
    EXPECT_GE(first.since, clock_.now()) << "the wait for the row counts";
    EXPECT_EQ(first.until - first.since, 1min);
    clock_.tick(30s);
    EXPECT_EQ(acquire("b"), first);
    EXPECT_EQ(acquire("b", "other").owner, "b");
    EXPECT_THAT(held(), ElementsAre("books a", "other b"));
}

TEST_P(NamedLocks, Its_end_frees_it_and_whoever_had_it_has_lost_it) {
    const NamedLock first = acquire("a");
    clock_.tick(2min);
    EXPECT_THAT(held(), IsEmpty());
    EXPECT_FALSE(renew("a"));
    EXPECT_FALSE(release("a"));
    const NamedLock second = acquire("b");
    EXPECT_EQ(second.owner, "b");
    EXPECT_GT(second.token, first.token);
    EXPECT_FALSE(renew("a"));
    EXPECT_FALSE(release("a"));
    EXPECT_THAT(held(), ElementsAre("books b"));
}

TEST_P(NamedLocks, Its_owner_renews_it_and_acquires_it_again_with_the_same_token) {
    const NamedLock first = acquire("a");
    clock_.tick(40s);
    EXPECT_TRUE(renew("a"));
    EXPECT_FALSE(renew("b"));
    clock_.tick(40s);
    const NamedLock again = acquire("a");
    EXPECT_EQ(again.token, first.token);
    EXPECT_EQ(again.since, first.since);
    EXPECT_GE(again.until, clock_.now() + 1min);
    EXPECT_EQ(acquire("b").owner, "a");
}

TEST_P(NamedLocks, A_released_one_is_free_at_once_and_each_token_is_larger_than_the_last) {
    std::int64_t last = 0;
    for (const schema::Duration passes : {0ms, 0ms, 1ms, 0ms, 60000ms, 0ms}) {
        clock_.tick(passes);
        const NamedLock lock = acquire("a");
        EXPECT_GT(lock.token, last);
        last = lock.token;
        EXPECT_TRUE(release("a"));
        EXPECT_FALSE(release("a"));
        EXPECT_THAT(held(), IsEmpty());
    }
}

TEST_P(NamedLocks, Names_and_owners_are_told_apart_by_case_and_letters_of_all_kinds) {
    for (const std::string_view name :
         {"books",
          "Books",
          "Bücher",
          "B\xC3\xBC"
          "cher\xF0\x9F\x93\x9A"}) {
        EXPECT_EQ(acquire(name, name).owner, name);
    }
    EXPECT_EQ(acquire("BOOKS").owner, "books");
    EXPECT_EQ(held("", 2).size(), 2U);
    EXPECT_EQ(held(held("", 2)[1].substr(0, held("", 2)[1].find(' ')), 9).size(), 2U);
}

TEST_P(NamedLocks, What_no_lock_can_have_is_refused) {
    const auto refused = [this](std::string_view name, std::string_view owner, auto time) {
        EXPECT_THROW(
            (void)store_.named_locks().acquire({name, owner, time}, clock_.now()),
            std::invalid_argument
        ) << name
          << " " << owner;
    };
    refused("", "a", 1min);
    refused("books", "", 1min);
    refused("books ", "a", 1min);
    refused(std::string(65, 'x'), "a", 1min);
    refused("books", std::string(256, 'x'), 1min);
    refused("books", "a", 0min);
    refused("books", "a", 31 * 24h);
}

TEST_P(NamedLocks, Names_that_nobody_has_used_for_a_day_are_forgotten) {
    EXPECT_EQ(acquire("a").owner, "a");
    clock_.tick(2min);
    EXPECT_EQ(acquire("a", "second").owner, "a");
    EXPECT_EQ(count_rows("JS_LOCK"), 2);
    clock_.tick(25h);
    EXPECT_EQ(acquire("a", "third").owner, "a");
    EXPECT_EQ(count_rows("JS_LOCK"), 1);
}

TEST_P(NamedLocks, Of_many_who_want_it_at_the_same_time_exactly_one_has_it) {
    constexpr int kOwners = 4;
    constexpr std::size_t kTurns = 15;
    std::atomic<int> inside = 0;
    std::vector<std::future<std::vector<std::int64_t>>> ends;
    for (int i = 0; i < kOwners; ++i) {
        ends.push_back(std::async(std::launch::async, [&, owner = "owner-" + std::to_string(i)] {
            Node node(*database_, faults_);
            std::vector<std::int64_t> tokens;
            while (tokens.size() < kTurns) {
                const NamedLock lock =
                    node.store().named_locks().acquire({"books", owner, 1min}, clock_.now());
                if (lock.owner == owner) {
                    EXPECT_EQ(++inside, 1);
                    tokens.push_back(lock.token);
                    --inside;
                    EXPECT_TRUE(node.store().named_locks().release("books", owner, clock_.now()));
                }
            }
            return tokens;
        }));
    }
    std::set<std::int64_t> tokens;
    for (auto& end : ends) {
        for (const std::int64_t token : end.get()) {
            EXPECT_TRUE(tokens.insert(token).second) << "two have had the same token";
        }
    }
    EXPECT_EQ(tokens.size(), kOwners * kTurns);
}

}  // namespace

}  // namespace jobstrand::test
