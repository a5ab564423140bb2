#include "deadletter/job_admin.hpp"
#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using test::send;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBase = "/process-api/management/";

/// What pages that operate Flowable's jobs send, and what they read.
class Management : public ApiTest {
protected:
    [[nodiscard]] std::vector<std::string> ids_in(const std::string& list) const {
        std::vector<std::string> ids;
        const json found = look(kBase + list);
        for (const json& job : found["data"]) {
            ids.push_back(job["id"]);
        }
        return ids;
    }

    std::string add_timer(const std::string& due, const std::string& more = "") const {
        return add(R"({"handlerType":"mail","dueDate":")" + due + "\"" + more + "}");
    }

    /// A dead letter that somebody cancelled.
    std::string add_dead() {
        const std::string id = add(R"({"handlerType":"mail"})");
        deadletter::JobAdmin(engine.store(), engine.series_store(), engine.clock())
            .cancel({id}, {.by = "ops", .reason = "a test"});
        return id;
    }

    [[nodiscard]] int act(const std::string& path, const json& body) const {
        return ask(post(kBase + path, body.dump())).status;
    }

    [[nodiscard]] int remove(const std::string& path) const {
        return ask(send("DELETE", kBase + path, "")).status;
    }
};

TEST_F(Management, A_list_has_a_part_of_the_jobs_and_their_number) {
    const std::string a = add(R"({"handlerType":"mail","tenantId":"t1","elementId":"e"})");
    const std::string b = add(R"({"handlerType":"mail"})");
    const std::string c = add(R"({"handlerType":"other"})");
    const json list = look(std::string(kBase) + "jobs?size=2&start=1");
    EXPECT_EQ(list["total"], 3);
    EXPECT_EQ(list["start"], 1);
    EXPECT_EQ(list["size"], 2);
    EXPECT_EQ(list["sort"], "id");
    EXPECT_EQ(list["order"], "asc");
    EXPECT_EQ(list["data"][0]["id"], b);
    EXPECT_THAT(ids_in("jobs?sort=id&order=desc"), ElementsAre(c, b, a));
    const json job = look(kBase + ("jobs/" + a));
    EXPECT_EQ(job["url"], "http://localhost/process-api/management/jobs/" + a);
    EXPECT_EQ(job["handlerType"], "mail");
    EXPECT_EQ(job["tenantId"], "t1");
    EXPECT_EQ(job["elementId"], "e");
    EXPECT_EQ(job["retries"], 3);
    EXPECT_EQ(job["processInstanceUrl"], nullptr);
    EXPECT_THAT(ids_in("timer-jobs"), IsEmpty());
    EXPECT_THAT(ids_in("history-jobs"), IsEmpty());
}

TEST_F(Management, Filters_restrict_a_list) {
    const std::string a = add(R"({"handlerType":"mail","tenantId":"acme-1"})");
    const std::string b = add(R"({"handlerType":"fax","processInstanceId":"i"})");
    EXPECT_THAT(ids_in("jobs?handlerType=mail"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?handlerTypes=fax,post"), ElementsAre(b));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme%25"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25cme%25"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25me-1"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25acme"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25"), ElementsAre(a, b));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme-1"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?withoutTenantId=true"), ElementsAre(b));
    EXPECT_THAT(ids_in("jobs?withoutProcessInstanceId=true"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?withoutProcessInstanceId=false"), ElementsAre(a, b));
    EXPECT_THAT(ids_in("jobs?withException=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?withRetriesLeft=true&executable=true&unlocked=true").size(), 2U);
    EXPECT_THAT(ids_in("jobs?noRetriesLeft=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?locked=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?messagesOnly=true").size(), 2U);
    EXPECT_THAT(ids_in("jobs?timersOnly=true"), IsEmpty());
}

TEST_F(Management, Timers_are_sorted_and_asked_for_by_their_due_date) {
    const std::string late = add_timer("2999-01-02T00:00:00Z");
    const std::string soon = add_timer("2999-01-01T00:00:00Z");
    EXPECT_THAT(ids_in("timer-jobs?sort=dueDate"), ElementsAre(soon, late));
    EXPECT_THAT(ids_in("timer-jobs?dueBefore=2999-01-01T12:00:00Z"), ElementsAre(soon));
    EXPECT_THAT(ids_in("timer-jobs?dueAfter=2999-01-01T12:00:00Z"), ElementsAre(late));
    EXPECT_THAT(ids_in("timer-jobs?executable=true"), IsEmpty());
}

TEST_F(Management, What_cannot_be_meant_so_is_refused) {
    for (const char* const query :
         {"size=many",
          "size=1001",
          "sort=color",
          "order=up",
          "dueBefore=soon",
          "tenantIdLike=a%25b",
          "tenantIdLike=%25b_c",
          "timersOnly=true&messagesOnly=true",
          "procesInstanceId=i"}) {
        EXPECT_EQ(ask(get(fmt::format("{}jobs?{}", kBase, query))).status, 400) << query;
    }
}

TEST_F(Management, A_timer_is_moved_or_gets_another_date) {
    const std::string id = add_timer("2999-01-01T00:00:00Z");
    EXPECT_EQ(
        act("timer-jobs/" + id, {{"action", "reschedule"}, {"dueDate", "2999-02-01T00:00:00Z"}}),
        204
    );
    EXPECT_THAT(
        look(kBase + ("timer-jobs/" + id))["dueDate"].get<std::string>(), HasSubstr("2999-02-01")
    );
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "reschedule"}}), 400);
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "dance"}}), 400);
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "move"}}), 204);
    EXPECT_THAT(ids_in("jobs"), ElementsAre(id));
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "move"}}), 404);
}

TEST_F(Management, A_job_is_run_now) {
    engine.handlers().add("works", [](const executor::JobContext&) {
        return executor::Succeeded{};
    });
    engine.handlers().add("fails", [](const executor::JobContext&) {
        return executor::Failed{.message = "no paper", .details = "tray 2"};
    });
    const std::string works = add(R"({"handlerType":"works"})");
    const std::string fails = add(R"({"handlerType":"fails"})");
    const std::string nobodys = add(R"({"handlerType":"nobodys"})");
    EXPECT_EQ(act("jobs/" + works, {{"action", "execute"}}), 204);
    EXPECT_EQ(act("jobs/" + works, {{"action", "execute"}}), 404);
    EXPECT_EQ(act("jobs/" + nobodys, {{"action", "execute"}}), 409);
    EXPECT_EQ(act("jobs/" + nobodys, {{"action", "move"}}), 400);
    const auto failed = ask(post(kBase + ("jobs/" + fails), R"({"action":"execute"})"));
    EXPECT_EQ(failed.status, 500);
    EXPECT_THAT(failed.body, HasSubstr("no paper"));
    EXPECT_THAT(ids_in("timer-jobs?withException=true"), ElementsAre(fails));
    EXPECT_THAT(ids_in("timer-jobs?exceptionMessage=no+paper"), ElementsAre(fails));
    const auto details = ask(get(kBase + ("timer-jobs/" + fails + "/exception-stacktrace")));
    EXPECT_EQ(details.status, 200);
    EXPECT_EQ(details.body, "tray 2");
    EXPECT_EQ(ask(get(kBase + ("jobs/" + nobodys + "/exception-stacktrace"))).status, 404);
}

TEST_F(Management, Dead_letters_get_new_attempts_one_or_many_but_never_all_by_accident) {
    const std::string a = add_dead();
    const std::string b = add_dead();
    const std::string c = add_dead();
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "moveToHistoryJob"}}), 400);
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "move"}}), 204);
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "move"}}), 404);
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}}), 400);
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}, {"jobIds", json::array()}}), 400);
    const auto missing = ask(post(
        std::string(kBase) + "deadletter-jobs",
        json{{"action", "move"}, {"jobIds", {b, "unknown"}}}.dump()
    ));
    EXPECT_EQ(missing.status, 404);
    EXPECT_THAT(missing.body, HasSubstr("unknown"));
    EXPECT_THAT(ids_in("deadletter-jobs"), ElementsAre(b, c)) << "nothing was moved";
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}, {"jobIds", {b, c}}}), 204);
    EXPECT_THAT(ids_in("jobs"), ElementsAre(a, b, c));
}

TEST_F(Management, Jobs_are_deleted_where_they_stand) {
    const std::string id = add_dead();
    EXPECT_EQ(remove("jobs/" + id), 404);
    EXPECT_EQ(remove("deadletter-jobs/" + id), 204);
    EXPECT_EQ(remove("deadletter-jobs/" + id), 404);
    EXPECT_EQ(ask(get(std::string(kBase) + "history-jobs/a")).status, 404);
}

}  // namespace
}  // namespace jobstrand
