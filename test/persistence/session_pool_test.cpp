#include "persistence/sql/session_pool.hpp"

#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/at_once.hpp"
#include "test/fixtures/error_of.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <vector>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using Access = SessionPool::Access;

/// Does nothing, and can be broken.
class IdleConnection final : public Connection {
public:
    explicit IdleConnection(std::atomic<int>& open) : open_(open) { ++open_; }
    ~IdleConnection() override { --open_; }
    IdleConnection(const IdleConnection&) = delete;
    IdleConnection& operator=(const IdleConnection&) = delete;

    [[nodiscard]] const Dialect& dialect() const noexcept override { return kSqliteDialect; }
    std::int64_t execute(std::string_view, std::span<const Value>) override { return 0; }
    void query(Query, std::span<const Value>, const RowReader&) override {}
    void run_script(std::string_view) override { usable_ = false; }
    void begin() override {}
    void commit() override {}
    void rollback() noexcept override {}
    [[nodiscard]] bool is_usable() const noexcept override { return usable_; }

private:
    std::atomic<int>& open_;
    bool usable_ = true;
};

class SessionPoolTest : public testing::Test {
protected:
    SessionPool::Connect connect() {
        return [this](Access access) -> std::unique_ptr<Connection> {
            ++made_;
            last_access_ = access;
            if (refuse_) {
                throw DbError(DbErrorKind::unreachable, "no server");
            }
            return std::make_unique<IdleConnection>(open_);
        };
    }

    static DbErrorKind error_of(SessionPool& pool, Access access) {
        return test::error_of([&] { const auto lease = pool.lease(access); }).kind();
    }

    /// As many at once as it lends.
    void use_all(SessionPool& pool) {
        std::vector<SessionPool::Lease> leases;
        for (std::size_t i = 0; i < kMany; ++i) {
            leases.push_back(pool.lease(Access::write));
        }
    }

    /// One at a time, each second.
    void use_one(SessionPool& pool, schema::Duration time) {
        for (schema::Duration passed{0}; passed < time; passed += 1s) {
            clock_.tick(1s);
            const auto lease = pool.lease(Access::write);
        }
    }

    static constexpr std::size_t kMany = 8;

    schema::ManualClock clock_;
    std::atomic<int> open_ = 0;
    std::atomic<int> made_ = 0;
    std::atomic<bool> refuse_ = false;
    std::atomic<Access> last_access_ = Access::read;
    SessionPool pool_{connect(), {.writers = 1, .readers = 2}, schema::Duration(1)};
    SessionPool patient_{connect(), {.writers = 1, .readers = 0}, schema::Duration(60'000)};
    SessionPool wide_{
        connect(),
        {.writers = kMany, .readers = 0, .idle_limit = 5min, .spare_limit = 90s},
        schema::Duration(1),
        clock_};
};

TEST_F(SessionPoolTest, Makes_connections_only_when_they_are_needed) {
    EXPECT_EQ(made_, 0);
    { const auto lease = pool_.lease(Access::write); }
    { const auto lease = pool_.lease(Access::write); }
    EXPECT_EQ(made_, 1);
    EXPECT_EQ(open_, 1);
}

TEST_F(SessionPoolTest, Says_what_a_connection_is_for) {
    { const auto lease = pool_.lease(Access::write); }
    EXPECT_EQ(last_access_, Access::write);
    { const auto lease = pool_.lease(Access::read); }
    EXPECT_EQ(last_access_, Access::read);
}

TEST_F(SessionPoolTest, Is_busy_when_no_connection_comes_back_in_time) {
    const auto writer = pool_.lease(Access::write);
    EXPECT_EQ(error_of(pool_, Access::write), DbErrorKind::busy);
    const auto reader = pool_.lease(Access::read);
    const auto other_reader = pool_.lease(Access::read);
    EXPECT_EQ(error_of(pool_, Access::read), DbErrorKind::busy);
    EXPECT_EQ(made_, 3);
}

TEST_F(SessionPoolTest, A_lease_comes_back_at_the_end_of_its_scope_also_when_it_was_moved) {
    std::optional<SessionPool::Lease> kept;
    {
        SessionPool::Lease lease = pool_.lease(Access::write);
        kept.emplace(std::move(lease));
    }
    EXPECT_EQ(error_of(pool_, Access::write), DbErrorKind::busy);
    kept.reset();
    EXPECT_NO_THROW((void)pool_.lease(Access::write));
}

TEST_F(SessionPoolTest, A_poisoned_connection_is_closed_and_replaced) {
    {
        const auto lease = pool_.lease(Access::write);
        lease->run_script("break");
    }
    EXPECT_EQ(open_, 0);
    const auto next = pool_.lease(Access::write);
    EXPECT_TRUE(next->is_usable());
    EXPECT_EQ(made_, 2);
}

TEST_F(SessionPoolTest, A_poisoned_connection_takes_those_along_that_lie_idle) {
    {
        const auto lease = pool_.lease(Access::read);
        const auto other = pool_.lease(Access::read);
    }
    EXPECT_EQ(open_, 2);
    pool_.lease(Access::read)->run_script("break");
    EXPECT_EQ(open_, 0);
    { const auto lease = pool_.lease(Access::read); }
    EXPECT_EQ(made_, 3);
}

TEST_F(SessionPoolTest, A_connection_that_was_made_before_another_was_lost_is_not_lent_again) {
    {
        const auto before = pool_.lease(Access::read);
        pool_.lease(Access::read)->run_script("break");
        EXPECT_EQ(open_, 1);
    }
    EXPECT_EQ(open_, 0) << "it may lead to a server that takes no writes any more";
    { const auto lease = pool_.lease(Access::read); }
    { const auto lease = pool_.lease(Access::read); }
    EXPECT_EQ(made_, 3);
    EXPECT_EQ(open_, 1);
}

TEST_F(SessionPoolTest, An_old_one_that_comes_back_poisoned_takes_no_newer_ones_along) {
    {
        const auto before = pool_.lease(Access::read);
        pool_.lease(Access::read)->run_script("break");
        { const auto after = pool_.lease(Access::read); }
        before->run_script("break");
    }
    EXPECT_EQ(open_, 1);
    { const auto lease = pool_.lease(Access::read); }
    EXPECT_EQ(made_, 3);
}

TEST_F(SessionPoolTest, A_connection_that_was_idle_for_too_long_is_replaced) {
    use_all(wide_);
    EXPECT_EQ(made_, 8);
    clock_.tick(5min + 1ms);
    { const auto lease = wide_.lease(Access::write); }
    EXPECT_EQ(made_, 9);
    EXPECT_EQ(open_, 1);
}

TEST_F(SessionPoolTest, Connections_that_nobody_needs_are_closed_while_one_is_used) {
    use_all(wide_);
    use_one(wide_, 90s);
    EXPECT_EQ(open_, 8) << "they may be needed again";
    use_one(wide_, 1s);
    EXPECT_EQ(open_, 1);
    use_one(wide_, 10min);
    EXPECT_EQ(open_, 1);
    EXPECT_EQ(made_, 8) << "none was opened anew";
}

TEST_F(SessionPoolTest, Connections_that_are_needed_each_minute_stay_open) {
    for (int minute = 0; minute < 10; ++minute) {
        use_all(wide_);
        use_one(wide_, 1min);
    }
    EXPECT_EQ(open_, 8);
    EXPECT_EQ(made_, 8);
}

TEST_F(SessionPoolTest, The_only_connection_stays_open_between_uses_that_are_far_apart) {
    for (int use = 0; use < 10; ++use) {
        { const auto lease = wide_.lease(Access::write); }
        clock_.tick(4min);
    }
    EXPECT_EQ(open_, 1);
    EXPECT_EQ(made_, 1);
}

TEST_F(SessionPoolTest, A_connection_that_is_too_old_is_replaced_however_often_it_is_used) {
    SessionPool pool(
        connect(),
        {.writers = 2, .readers = 0, .age_limit = schema::Duration(-1)},
        schema::Duration(1)
    );
    { const auto lease = pool.lease(Access::write); }
    { const auto lease = pool.lease(Access::write); }
    EXPECT_EQ(made_, 2);
    EXPECT_EQ(open_, 1);
}

TEST_F(SessionPoolTest, A_connection_that_cannot_be_made_takes_no_place) {
    refuse_ = true;
    EXPECT_EQ(error_of(pool_, Access::write), DbErrorKind::unreachable);
    EXPECT_EQ(error_of(pool_, Access::write), DbErrorKind::unreachable);
    refuse_ = false;
    EXPECT_NO_THROW((void)pool_.lease(Access::write));
}

TEST_F(SessionPoolTest, Without_readers_the_writers_connections_serve_both) {
    { const auto lease = patient_.lease(Access::write); }
    { const auto lease = patient_.lease(Access::read); }
    EXPECT_EQ(made_, 1);
}

TEST_F(SessionPoolTest, A_waiting_thread_gets_the_connection_that_comes_back) {
    std::optional<SessionPool::Lease> first = patient_.lease(Access::write);
    auto second = std::async(std::launch::async, [this] {
        const auto lease = patient_.lease(Access::write);
        return lease->is_usable();
    });
    first.reset();
    ASSERT_EQ(second.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    EXPECT_TRUE(second.get());
    EXPECT_EQ(made_, 1);
}

TEST_F(SessionPoolTest, Many_threads_share_few_connections) {
    std::atomic<int> lent = 0;
    std::atomic<int> most = 0;
    test::at_once(8, [&](std::size_t) {
        for (int i = 0; i < 500; ++i) {
            const auto lease = patient_.lease(i % 2 == 0 ? Access::read : Access::write);
            most = std::max(most.load(), ++lent);
            if (i % 50 == 0) {
                lease->run_script("break");
            }
            --lent;
        }
    });
    EXPECT_EQ(most, 1);
    EXPECT_EQ(made_, 1 + 8 * 10);
    EXPECT_LE(open_, 1);
}

class StatementCacheTest : public testing::Test {
protected:
    void prepare(const std::string& sql) {
        cache_.insert(sql, std::make_unique<std::string>("statement of " + sql));
    }

    StatementCache<std::string> cache_{2};
};

TEST_F(StatementCacheTest, Finds_a_statement_by_its_text) {
    prepare("a");
    ASSERT_NE(cache_.find("a"), nullptr);
    EXPECT_EQ(*cache_.find("a"), "statement of a");
    EXPECT_EQ(cache_.find("b"), nullptr);
}

TEST_F(StatementCacheTest, The_one_that_was_not_used_for_longest_goes_first) {
    prepare("a");
    prepare("b");
    ASSERT_NE(cache_.find("a"), nullptr);
    prepare("c");
    EXPECT_NE(cache_.find("a"), nullptr);
    EXPECT_EQ(cache_.find("b"), nullptr);
    EXPECT_NE(cache_.find("c"), nullptr);
    EXPECT_EQ(cache_.size(), 2U);
}

TEST_F(StatementCacheTest, An_erased_statement_is_gone) {
    prepare("a");
    cache_.erase("a");
    cache_.erase("never there");
    EXPECT_EQ(cache_.find("a"), nullptr);
    EXPECT_EQ(cache_.size(), 0U);
}

}  // namespace

}  // namespace jobstrand::persistence
