#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::AuditedAction;
using persistence::AuditEntry;
using persistence::RememberedRequest;
using persistence::RepeatableRequest;
using persistence::RequestStore;

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

ON_EVERY_DATABASE(Audit);

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
        in_transaction([&](Transaction& transaction) {
            remembered = RequestStore::take_request(transaction, request);
            if (!remembered) {
                RequestStore::answer_request(transaction, request.key, 201, answer);
            }
        });
        return remembered;
    }

    [[nodiscard]] std::optional<RememberedRequest> find() {
        std::optional<RememberedRequest> found;
        in_transaction([&](Transaction& transaction) {
            found = RequestStore::find_request(transaction, "order-17");
        });
        return found;
    }

    const schema::TimePoint now_ = clock_.now();
};

ON_EVERY_DATABASE(Requests);

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
        in_transaction([&](Transaction& transaction) {
            (void)RequestStore::take_request(
                transaction, {.key = "order-17", .digest = "aaaa", .now = now_, .until = now_ + 24h}
            );
            throw std::runtime_error("no job could be added");
        }),
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
