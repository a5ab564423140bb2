#include "deadletter/desk/audit_desk.hpp"

#include "persistence/sql/db_error.hpp"
#include "test/fixtures/manual_clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::deadletter {
namespace {

using persistence::DbError;
using persistence::DbErrorKind;

/// An audit whose database is away for whatever is asked of it.
class AuditOfAnOutage final : public persistence::AuditStore {
public:
    std::string
    begin_action(const persistence::AuditedAction& /*action*/, schema::TimePoint /*now*/) override {
        if (is_away_at_begin) {
            throw DbError(DbErrorKind::unreachable, "no server");
        }
        return "1";
    }

    void end_action(
        std::string_view /*id*/,
        std::string_view result,
        std::optional<std::int64_t> /*changed*/
    ) override {
        ends.emplace_back(result);
        if (is_away_at_end) {
            throw DbError(DbErrorKind::unreachable, "no server");
        }
    }

    std::vector<persistence::AuditEntry> audit(
        const persistence::AuditFilter& /*filter*/,
        std::string_view /*behind*/,
        std::size_t /*limit*/
    ) override {
        return {};
    }

    std::int64_t forget_audit(schema::TimePoint /*before*/) override { return 0; }

    bool is_away_at_begin = false;
    bool is_away_at_end = false;
    std::vector<std::string> ends;  ///< The results, as they were to be written.
};

class AuditDeskTest : public testing::Test {
protected:
    void run(const std::function<ActionEnd()>& carry_out) {
        desk_.run({"kim", "cli", "dead requeue", "--all", "the mail server is back"}, carry_out);
    }

    AuditOfAnOutage store_;
    ActionCounts counts_;

private:
    test::ManualClock clock_;
    AuditDesk desk_{store_, clock_, &counts_};
};

TEST_F(AuditDeskTest, How_an_action_ended_is_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    EXPECT_EQ(store_.ends, std::vector<std::string>{"done"});
}

TEST_F(AuditDeskTest, What_cannot_be_written_down_is_not_begun) {
    store_.is_away_at_begin = true;
    bool is_done = false;
    const auto action = [&is_done] {
        is_done = true;
        return ActionEnd{.result = "done"};
    };
    EXPECT_THROW(run(action), DbError);
    EXPECT_FALSE(is_done);
    EXPECT_TRUE(counts_.counts().empty());
}

TEST_F(AuditDeskTest, An_end_that_cannot_be_written_does_not_undo_what_was_done) {
    store_.is_away_at_end = true;
    EXPECT_NO_THROW(run([] { return ActionEnd{.result = "done"}; }));
    EXPECT_EQ(store_.ends, std::vector<std::string>{"done"});
}

TEST_F(AuditDeskTest, What_was_done_is_counted_also_when_its_end_cannot_be_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    store_.is_away_at_end = true;
    run([] { return ActionEnd{.result = "done", .changed = 4}; });
    EXPECT_THROW(run([]() -> ActionEnd { throw std::invalid_argument("no"); }), std::exception);
    const ActionCounts::Counts counts = counts_.counts();
    ASSERT_EQ(counts.size(), 2);
    const ActionCounts::Count done = counts.at({.action = "dead requeue", .result = "done"});
    EXPECT_EQ(done.actions, 2);
    EXPECT_EQ(done.changed, 7);
    EXPECT_EQ(counts.at({.action = "dead requeue", .result = "failed"}).actions, 1);
}

TEST_F(AuditDeskTest, Why_an_action_failed_is_told_though_its_end_cannot_be_written) {
    store_.is_away_at_end = true;
    EXPECT_THROW(
        run([]() -> ActionEnd { throw std::invalid_argument("no such series"); }),
        std::invalid_argument
    );
    EXPECT_EQ(store_.ends, std::vector<std::string>{"failed"});
}

}  // namespace
}  // namespace jobstrand::deadletter
