#include "persistence/node_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

/// What a node reads by itself may be more rows than an engine gives in one answer: Vitess gives
/// 10,000, and deletes no more.
class ManyRows : public StoreTest {
protected:
    static constexpr std::size_t kMany = 11'000;

    // The next case empties the tables by one DELETE each.
    void TearDown() override {
        const std::string_view empty = connection_->dialect().tables.empty_table;
        for (const std::string_view table : {"ACT_RU_JOB", "ACT_HI_JOB_LOG", "JS_SUSPENSION"}) {
            connection_->run_script(fmt::format(fmt::runtime(empty), table));
        }
    }

    /// Executable jobs that `owner` has locked until then.
    void insert_locked(const std::string& owner, schema::TimePoint until) {
        constexpr std::size_t kPage = 1000;
        for (std::size_t page = 0; page < kMany / kPage; ++page) {
            insert(
                many_jobs(fmt::format("job-{:02}-", page), kPage, a_job("").locked_by(owner, until))
            );
        }
    }

    std::int64_t reset(const persistence::LockSearch& search) {
        return store_.executor().reset_expired_locks(JobPlace::executable, search).freed;
    }

    std::int64_t count_locked() { return count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ IS NOT NULL"); }
};

ON_EVERY_DATABASE(ManyRows);

TEST_P(ManyRows, All_locks_that_have_expired_are_freed_in_one_look) {
    insert_locked("dead", clock_.now() - 1ms);
    EXPECT_EQ(reset({.now = clock_.now()}), kMany);
    EXPECT_EQ(count_locked(), 0);
}

TEST_P(ManyRows, A_dead_node_loses_all_its_locks_however_many_it_had) {
    register_node("dead", noop_);
    insert_locked("dead", clock_.now() + 5min);
    clock_.tick(11s);
    const std::vector<std::string> dead = store_.nodes().end_expired_leases(clock_.now());
    ASSERT_THAT(dead, ElementsAre("dead"));
    EXPECT_EQ(reset({.now = clock_.now(), .owners = dead}), kMany);
    EXPECT_EQ(count_locked(), 0);
}

TEST_P(ManyRows, All_that_is_suspended_is_listed) {
    constexpr std::size_t kPage = 50;
    for (std::size_t first = 0; first < kMany; first += kPage) {
        std::vector<std::string> rows;
        for (std::size_t i = first; i < first + kPage; ++i) {
            rows.push_back(fmt::format("('instance', 'order-{:05}', '2026-11-20 10:15:30.123')", i)
            );
        }
        execute(fmt::format(
            "INSERT INTO JS_SUSPENSION (SCOPE_, ID_, SINCE_) VALUES {}", fmt::join(rows, ", ")
        ));
    }
    const auto listed = store_.jobs().suspensions(SuspensionScope::instance);
    ASSERT_EQ(listed.size(), kMany);
    EXPECT_EQ(listed.front().id, "order-00000");
    EXPECT_EQ(listed.back().id, "order-10999");
    EXPECT_TRUE(std::ranges::is_sorted(listed, std::ranges::less(), &persistence::Suspension::id));
}

}  // namespace

}  // namespace jobstrand::test
