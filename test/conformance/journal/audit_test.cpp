#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::AuditedAction;
using persistence::AuditEntry;
using testing::ElementsAre;
using testing::IsEmpty;

/// What people have changed: who, when, how many, why.
class Audit : public StoreTest {
protected:
    static AuditedAction requeue_by(std::string who) {
        return {
            .who = std::move(who),
            .via = "cli",
            .action = "dead requeue",
            .arguments = "--type mail",
            .reason = "the mail server is back",
        };
    }

    std::string write(const AuditedAction& action) {
        return store_.audit().begin_action(action, now_);
    }
    std::string write(const AuditedAction& action, schema::TimePoint now) {
        return store_.audit().begin_action(action, now);
    }

    const schema::TimePoint now_ = clock_.now();

    [[nodiscard]] std::vector<std::string> ids_in(const persistence::AuditFilter& filter) {
        std::vector<std::string> ids;
        for (const AuditEntry& entry : store_.audit().audit(filter, {}, 100)) {
            ids.push_back(entry.id);
        }
        return ids;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Audit,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Audit, An_action_is_there_before_it_ends_and_has_its_result_then) {
    const AuditedAction action = requeue_by("anna");
    const std::string id = write(action);
    EXPECT_THAT(
        store_.audit().audit({}, {}, 10),
        ElementsAre(AuditEntry{.id = id, .time = now_, .action = action})
    );
    store_.audit().end_action(id, "done", 17);
    EXPECT_THAT(
        store_.audit().audit({}, {}, 10),
        ElementsAre(AuditEntry{
            .id = id, .time = now_, .action = action, .result = "done", .changed = 17})
    );
}

TEST_P(Audit, Nobody_has_to_count_or_to_say_why) {
    AuditedAction action = requeue_by("anna");
    action.reason.clear();
    action.arguments.clear();
    store_.audit().end_action(write(action), "failed", {});
    const auto entries = store_.audit().audit({}, {}, 10);
    ASSERT_EQ(entries.size(), 1);
    EXPECT_EQ(entries[0].action, action);
    EXPECT_EQ(entries[0].result, "failed");
    EXPECT_FALSE(entries[0].changed);
}

TEST_P(Audit, What_is_too_long_is_cut) {
    AuditedAction action = requeue_by(std::string(300, 'w'));
    action.arguments = std::string(5'000, 'a');
    action.reason = "\xff";
    (void)write(action);
    const AuditedAction written = store_.audit().audit({}, {}, 1).at(0).action;
    EXPECT_EQ(written.who, std::string(255, 'w'));
    EXPECT_EQ(written.arguments, std::string(2'000, 'a'));
    EXPECT_EQ(written.reason, "\xEF\xBF\xBD");
}

TEST_P(Audit, The_list_begins_with_the_latest_and_goes_on_behind_an_entry) {
    const std::string first = write(requeue_by("anna"));
    const std::string second = write(requeue_by("bert"), now_ + 1s);
    const std::string third = write(requeue_by("anna"), now_ + 2s);
    EXPECT_THAT(ids_in({}), ElementsAre(third, second, first));
    const auto behind = store_.audit().audit({}, third, 1);
    ASSERT_EQ(behind.size(), 1);
    EXPECT_EQ(behind[0].id, second);
    EXPECT_THAT(ids_in({.who = "anna"}), ElementsAre(third, first));
    EXPECT_THAT(ids_in({.action = "dead rm"}), IsEmpty());
    EXPECT_THAT(ids_in({.after = now_ + 1s}), ElementsAre(third, second));
    EXPECT_THAT(ids_in({.before = now_ + 1s}), ElementsAre(first));
}

TEST_P(Audit, What_is_old_is_forgotten_however_much_it_is) {
    for (int i = 0; i < 1'100; ++i) {
        (void)write(requeue_by("anna"), now_ - 1s);
    }
    const std::string kept = write(requeue_by("anna"));
    EXPECT_EQ(store_.audit().forget_audit(now_), 1'100);
    EXPECT_THAT(ids_in({}), ElementsAre(kept));
    EXPECT_EQ(store_.audit().forget_audit(now_), 0);
}

}  // namespace

}  // namespace jobstrand::test
