#include "deadletter/history_admin.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <stdexcept>

namespace jobstrand::deadletter {
namespace {

class AuditTrailTest : public AdminTest {
protected:
    void run(const std::function<ActionEnd()>& carry_out) {
        trail_.run({"kim", "cli", "dead requeue", "--all", "the mail server is back"}, carry_out);
    }

    /// From now on the database refuses to write that an action begins, or how it ended.
    void refuse(const std::string& write) {
        execute(
            "CREATE TRIGGER REFUSAL BEFORE " + write +
            " ON JS_AUDIT BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
    }
    void refuse_begins() { refuse("INSERT"); }
    void refuse_ends() { refuse("UPDATE"); }

    /// How the last action ended, as it was written.
    std::string result() { return audit_store_.audit({}, "", 1).at(0).result; }

    ActionCounts counts_;

private:
    AuditTrail trail_{audit_store_, clock_, &counts_};
};

TEST_F(AuditTrailTest, How_an_action_ended_is_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    EXPECT_EQ(result(), "done");
}

TEST_F(AuditTrailTest, What_cannot_be_written_down_is_not_begun) {
    refuse_begins();
    bool is_done = false;
    const auto action = [&is_done] {
        is_done = true;
        return ActionEnd{.result = "done"};
    };
    EXPECT_THROW(run(action), persistence::DbError);
    EXPECT_FALSE(is_done);
    EXPECT_TRUE(counts_.counts().empty());
}

TEST_F(AuditTrailTest, An_end_that_cannot_be_written_does_not_undo_what_was_done) {
    refuse_ends();
    EXPECT_NO_THROW(run([] { return ActionEnd{.result = "done"}; }));
    EXPECT_EQ(result(), "");
}

TEST_F(AuditTrailTest, What_was_done_is_counted_also_when_its_end_cannot_be_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    refuse_ends();
    run([] { return ActionEnd{.result = "done", .changed = 4}; });
    EXPECT_THROW(run([]() -> ActionEnd { throw std::invalid_argument("no"); }), std::exception);
    const ActionCounts::Counts counts = counts_.counts();
    ASSERT_EQ(counts.size(), 2);
    const ActionCounts::Count done = counts.at({.action = "dead requeue", .result = "done"});
    EXPECT_EQ(done.actions, 2);
    EXPECT_EQ(done.changed, 7);
    EXPECT_EQ(counts.at({.action = "dead requeue", .result = "failed"}).actions, 1);
}

TEST_F(AuditTrailTest, Why_an_action_failed_is_told_though_its_end_cannot_be_written) {
    refuse_ends();
    EXPECT_THROW(
        run([]() -> ActionEnd { throw std::invalid_argument("no such series"); }),
        std::invalid_argument
    );
    EXPECT_EQ(result(), "");
}

}  // namespace
}  // namespace jobstrand::deadletter
