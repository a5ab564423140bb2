#include "persistence/journal_store.hpp"
#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using persistence::AuditEntry;
using test::ApiTest;
using test::get;
using test::post;
using test::send;
using testing::IsEmpty;

/// Whoever changes something over HTTP is written down.
class AuditApi : public ApiTest {
protected:
    /// The latest first.
    [[nodiscard]] std::vector<AuditEntry> entries() {
        return engine.audit_store().audit({}, {}, 100);
    }
};

TEST_F(AuditApi, A_change_is_written_down_with_who_how_many_and_why) {
    const std::string body = R"({"ids":["a","b"]})";
    EXPECT_EQ(
        ask(post("/api/v1/dead/requeue", body, "Jobstrand-Reason: the server is back\r\n")).status,
        200
    );
    ASSERT_EQ(entries().size(), 1);
    const AuditEntry entry = entries()[0];
    EXPECT_EQ(entry.action.who, "local");
    EXPECT_EQ(entry.action.via, "http");
    EXPECT_EQ(entry.action.action, "dead requeue");
    EXPECT_EQ(entry.action.arguments, "-- a b") << "as it could be typed";
    EXPECT_EQ(entry.action.reason, "the server is back");
    EXPECT_EQ(entry.result, "not found");
    EXPECT_EQ(entry.changed, std::nullopt);
}

TEST_F(AuditApi, Every_change_of_an_operator_is_written_down) {
    const std::string id = add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    struct Row {
        std::string request;
        std::string action;
        std::string result;
    };
    const std::string management = "/process-api/management/";
    const std::vector<Row> rows{
        {send("POST", "/api/v1/nodes/none/drain", ""), "node drain", "not found"},
        {send("POST", "/api/v1/nodes/none/resume", ""), "node resume", "not found"},
        {send("PUT", "/api/v1/limits/type:a", R"({"concurrent":1})"), "limit set", "done"},
        {send("DELETE", "/api/v1/limits/type:a", ""), "limit rm", "done"},
        {post(management + "jobs/none", R"({"action":"execute"})"), "job run", "refused"},
        {post(management + "timer-jobs/" + id, R"({"action":"move"})"), "timer change", "done"},
        {post(management + "deadletter-jobs/none", R"({"action":"move"})"),
         "dead requeue",
         "refused"},
        {post(management + "deadletter-jobs", R"({"action":"move","jobIds":["none"]})"),
         "dead requeue",
         "refused"},
        {send("DELETE", management + "jobs/" + id, ""), "job rm", "done"},
    };
    for (const Row& row : rows) {
        const std::size_t before = entries().size();
        (void)ask(row.request);
        const auto after = entries();
        ASSERT_EQ(after.size(), before + 1) << row.request;
        EXPECT_EQ(after[0].action.action, row.action) << row.request;
        EXPECT_EQ(after[0].result, row.result) << row.request;
        EXPECT_EQ(after[0].changed.value_or(0), row.result == "done" ? 1 : 0) << row.request;
    }
}

TEST_F(AuditApi, Whoever_looks_or_enqueues_leaves_no_trace) {
    (void)add(R"({"handlerType":"noop"})");
    EXPECT_EQ(ask(get("/api/v1/jobs")).status, 200);
    EXPECT_EQ(ask(get("/process-api/management/jobs")).status, 200);
    EXPECT_THAT(entries(), IsEmpty());
}

}  // namespace
}  // namespace jobstrand
