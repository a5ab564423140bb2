#include "test/service/api_fixture.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/access/token_file.hpp"
#include "tools/operations/nouns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace jobstrand {

namespace {

using nlohmann::json;
using service::Role;
using service::Scope;
using test::get;
using test::post;
using test::RawResponse;
using testing::HasSubstr;
using testing::Not;

/// All names of the tenant that nobody but an administrator may know of begin so.
constexpr std::string_view kSecret = "bsecret";

/// Jobs of several tenants in every place, and tokens for some of them.
class ScopeTest : public test::ApiTest {
protected:
    ScopeTest() {
        const auto entry = [this](std::string name, Role role, Scope scope = {}) {
            const std::string token = service::new_token();
            tokens_[name] = token;
            return service::TokenEntry{
                .name = std::move(name),
                .role = role,
                .hash = service::hash_of(token),
                .created = "x",
                .scope = std::move(scope)};
        };
        http.reset();
        settings.http.token_file = (directory.path() / "tokens").string();
        service::write_tokens(
            settings.http.token_file,
            {entry("all", Role::admin),
             entry("reader", Role::read, {.tenants = {"a"}}),
             entry("worker", Role::worker, {.tenants = {"a"}}),
             entry("admin", Role::admin, {.tenants = {"a"}}),
             entry("two", Role::worker, {.tenants = {"a", "c"}}),
             entry("mail", Role::worker, {.topics = {"mail", "invoice.*"}}),
             entry("elsewhere", Role::admin, {.engines = {"other"}}),
             entry("here", Role::admin, {.engines = {"main"}})}
        );
        http = std::make_unique<service::HttpService>(parts, false);
        http->start();
        fill(std::string(kSecret), "bsecret-type");
        fill("a", "mail");
    }

    [[nodiscard]] std::string authorization(const std::string& name) const {
        return fmt::format("Authorization: Bearer {}\r\n", tokens_.at(name));
    }

    [[nodiscard]] RawResponse as(
        const std::string& name,
        const std::string& method,
        const std::string& path,
        const std::string& body = {}
    ) const {
        const std::string head = authorization(name);
        return ask(
            body.empty() && method != "PUT" ? bare(method, path, head)
                                            : test::send(method, path, body, head)
        );
    }

    [[nodiscard]] RawResponse
    verb(const std::string& name, const std::string& words, const json& arguments) const {
        return as(name, "POST", "/api/v1/verbs/" + words, json{{"arguments", arguments}}.dump());
    }

    /// The ids of a list, in its order.
    [[nodiscard]] static std::vector<std::string> ids_in(const json& list) {
        std::vector<std::string> ids;
        for (const json& item : list) {
            ids.push_back(item.at("id"));
        }
        return ids;
    }

    [[nodiscard]] std::string all_of_b() const {
        return verb("all", "job/ls", {"--place", "all", "--tenant", kSecret}).body;
    }

    [[nodiscard]] json acquired(const std::string& name, const json& topics) const {
        const RawResponse response =
            as(name,
               "POST",
               "/api/v1/external-jobs/acquire",
               json{{"worker", "w"}, {"topics", topics}, {"jobs", 100}}.dump());
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body).at("items");
    }

private:
    [[nodiscard]] static std::string
    bare(const std::string& method, const std::string& path, const std::string& head) {
        std::string request = get(path, head);
        return request.replace(0, 3, method);
    }

    /// One job of a tenant in each place.
    void fill(const std::string& tenant, const std::string& type) const {
        const auto job = [&](std::string_view place, const json& more) {
            json one{
                {"id", fmt::format("{}-{}", tenant, place)},
                {"handlerType", type},
                {"tenantId", tenant},
                {"payload", {{"n", tenant + "-payload"}}}};
            one.update(more);
            return one;
        };
        const json jobs{
            job("free", json::object()),
            job("doomed", json::object()),
            job("timer", {{"dueDate", "2035-01-01T00:00:00Z"}}),
            job("external", {{"external", true}}),
            job("suspended", {{"processInstanceId", tenant + "-instance"}})};
        const RawResponse added = as("all", "POST", "/api/v1/jobs", jobs.dump());
        ASSERT_EQ(added.status, 201) << added.body;
        const json cancelled{tenant + "-doomed", "--reason", tenant + "-reason"};
        ASSERT_EQ(verb("all", "job/cancel", cancelled).status, 200);
        ASSERT_EQ(verb("all", "instance/suspend", json::array({tenant + "-instance"})).status, 200);
        ASSERT_EQ(
            as("all", "PUT", "/api/v1/limits/tenant:" + tenant, R"({"concurrent":9})").status, 200
        );
    }

    std::map<std::string, std::string> tokens_;
};

[[nodiscard]] std::string with(std::string pattern, const std::string& value) {
    while (pattern.find('{') != std::string::npos) {
        const std::size_t begin = pattern.find('{');
        pattern.replace(begin, pattern.find('}') - begin + 1, value);
    }
    return pattern;
}

TEST_F(ScopeTest, No_path_tells_a_token_of_one_tenant_of_another_or_changes_its_jobs) {
    const std::string before = all_of_b();
    ASSERT_THAT(before, HasSubstr("bsecret-timer"));
    const std::string body = json{
        {"worker", "w"},
        {"workerId", "w"},
        {"action", "move"},
        {"outcome", "done"},
        {"jobIds",
         {"bsecret-doomed"}}}.dump();
    const json paths = json::parse(as("all", "GET", "/api/v1/openapi.json").body).at("paths");
    ASSERT_GT(paths.size(), 50U);
    for (const auto& [pattern, operations] : paths.items()) {
        for (const auto& [method, operation] : operations.items()) {
            if (method == "parameters" || pattern == "/api/v1/events") {
                continue;
            }
            std::string upper = method;
            std::ranges::transform(upper, upper.begin(), [](char c) {
                return static_cast<char>(c - 'a' + 'A');
            });
            for (const char* const place : {"free", "doomed", "timer", "external", "suspended"}) {
                for (const char* const name : {"reader", "worker", "admin"}) {
                    const std::string path = with(pattern, fmt::format("{}-{}", kSecret, place));
                    const bool has_place = path != pattern;
                    const RawResponse response =
                        as(name, upper, path, operation.contains("requestBody") ? body : "");
                    EXPECT_NE(response.status, 0) << upper << ' ' << path;
                    EXPECT_THAT(response.body, Not(HasSubstr("bsecret-payload"))) << path;
                    if (has_place) {
                        EXPECT_GE(response.status, 400) << upper << ' ' << path << ' ' << name;
                    } else if (upper == "GET") {
                        EXPECT_THAT(response.body, Not(HasSubstr(std::string(kSecret)))) << path;
                    }
                }
            }
        }
    }
    EXPECT_EQ(all_of_b(), before);
}

TEST_F(ScopeTest, No_verb_tells_a_token_of_one_tenant_of_another_or_changes_its_jobs) {
    const std::string before = all_of_b();
    const std::vector<json> calls{
        json::array(),
        json::array({"--all", "--yes"}),
        json::array({"--place", "all", "--limit", "1000"}),
        json::array({"--by-type"}),
        json::array({"--all"}),
        json::array({"--type", "mail", "--yes", "--background"})};
    std::map<std::string, bool> verbs;
    for (const cli::OperationNoun& noun : cli::operation_nouns()) {
        for (const cli::Operation& operation : noun.operations) {
            if (!operation.text.is_local) {
                verbs.emplace(operation.text.words, operation.text.honours_scope);
            }
        }
    }
    for (const auto& [words, honours_scope] : verbs) {
        std::string path = words;
        std::ranges::replace(path, ' ', '/');
        if (!honours_scope) {
            EXPECT_EQ(verb("admin", path, json::array()).status, 403) << words;
            continue;
        }
        for (const json& arguments : calls) {
            const RawResponse response = verb("admin", path, arguments);
            EXPECT_THAT(response.body, Not(HasSubstr(std::string(kSecret)))) << words << arguments;
        }
        for (const char* const place : {"free", "doomed", "timer", "external", "suspended"}) {
            const std::string id = fmt::format("{}-{}", kSecret, place);
            for (const char* const option : {"--reason=x", "--retries=7"}) {
                const json arguments = json::array({id, option});
                const RawResponse response = verb("admin", path, arguments);
                EXPECT_THAT(response.body, Not(HasSubstr("bsecret-payload"))) << words;
            }
        }
    }
    EXPECT_EQ(all_of_b(), before);
}

TEST_F(ScopeTest, What_is_of_its_tenant_a_token_sees) {
    const auto list = [&](const std::string& path) {
        const RawResponse response = as("reader", "GET", path);
        EXPECT_EQ(response.status, 200) << path << response.body;
        return json::parse(response.body);
    };
    EXPECT_THAT(ids_in(list("/api/v1/jobs")["items"]), testing::ElementsAre("a-free"));
    EXPECT_EQ(list("/api/v1/jobs/a-timer")["tenantId"], "a");
    EXPECT_EQ(as("reader", "GET", "/api/v1/jobs/bsecret-timer").status, 404);
    EXPECT_EQ(list("/api/v1/stats")["places"]["executable"], 1);
    EXPECT_EQ(list("/api/v1/stats")["places"]["dead"], 1);
    EXPECT_EQ(list("/external-job-api/jobs")["total"], 1);
    EXPECT_EQ(list("/process-api/management/deadletter-jobs")["total"], 1);
    EXPECT_EQ(list("/process-api/management/timer-jobs")["data"][0]["id"], "a-timer");
    const RawResponse dead = verb("reader", "dead/ls", json::array());
    EXPECT_THAT(ids_in(json::parse(dead.body)), testing::ElementsAre("a-doomed"));
    for (const char* const path : {"/api/v1/nodes", "/api/v1/rates", "/metrics", "/api/v1/log"}) {
        const RawResponse refused = as("reader", "GET", path);
        EXPECT_EQ(refused.status, 403) << path;
        EXPECT_THAT(refused.body, HasSubstr("cannot be narrowed")) << path;
    }
}

TEST_F(ScopeTest, The_events_count_the_jobs_of_its_tenant) {
    test::RawClient client(http->port());
    (void)client.send(get("/api/v1/events", authorization("reader")));
    (void)client.receive_until("event: stats\n");
    (void)client.receive_until("data: ");
    const json counts = json::parse(client.receive_until("\n"), nullptr, false);
    ASSERT_TRUE(counts.is_object());
    EXPECT_EQ(counts["places"]["executable"], 1);
    EXPECT_EQ(counts["places"]["dead"], 1);
}

TEST_F(ScopeTest, An_administrator_of_a_tenant_acts_on_its_jobs_only) {
    const RawResponse requeued =
        as("admin", "POST", "/api/v1/dead/requeue", R"({"ids":["a-doomed","bsecret-doomed"]})");
    const json items = json::parse(requeued.body).at("items");
    EXPECT_EQ(items[0]["answer"], "requeued");
    EXPECT_EQ(items[1]["answer"], "not found");
    EXPECT_EQ(verb("admin", "job/rm", {"--all", "--yes"}).status, 200);
    EXPECT_EQ(as("all", "GET", "/api/v1/jobs/a-free").status, 404);
    EXPECT_EQ(as("all", "GET", "/api/v1/jobs/bsecret-free").status, 200);
    const RawResponse batch = verb("admin", "job/rm", {"--type", "mail", "--yes", "--background"});
    EXPECT_EQ(batch.status, 403) << batch.body;
}

TEST_F(ScopeTest, Jobs_of_another_tenant_or_type_are_not_enqueued_and_it_is_said_why) {
    const auto add = [&](const std::string& name, const json& job, int status, auto body) {
        const RawResponse response = as(name, "POST", "/api/v1/jobs", job.dump());
        EXPECT_EQ(response.status, status) << job << response.body;
        EXPECT_THAT(response.body, body);
    };
    add("worker", {{"handlerType", "x"}, {"tenantId", "a"}}, 201, HasSubstr("id"));
    add("worker", {{"handlerType", "x"}, {"tenantId", "c"}}, 403, HasSubstr("tenant \\\"c\\\""));
    add("worker", {{"handlerType", "x"}}, 403, HasSubstr("name one of them"));
    add("worker",
        {{{"handlerType", "x"}, {"tenantId", "a"}}, {{"handlerType", "x"}, {"tenantId", "c"}}},
        403,
        HasSubstr("tenant"));
    add("worker",
        {{"handlerType", "x"}, {"tenantId", "a"}, {"uniqueKey", "k"}},
        403,
        HasSubstr("unique keys"));
    add("mail", {{"handlerType", "invoice.paid"}}, 201, HasSubstr("id"));
    add("mail", {{"handlerType", "command"}}, 403, HasSubstr("topic \\\"command\\\""));
}

TEST_F(ScopeTest, A_worker_gets_jobs_of_its_topics_and_tenants_only) {
    const json more{
        {{"id", "c-1"}, {"handlerType", "mail"}, {"tenantId", "c"}, {"external", true}},
        {{"id", "d-1"}, {"handlerType", "mail"}, {"tenantId", "d"}, {"external", true}}};
    ASSERT_EQ(as("all", "POST", "/api/v1/jobs", more.dump()).status, 201);
    EXPECT_THAT(
        ids_in(acquired("two", {"mail", "bsecret-type"})),
        testing::UnorderedElementsAre("a-external", "c-1")
    );
    EXPECT_THAT(ids_in(acquired("mail", json::array({"mail"}))), testing::ElementsAre("d-1"));
    const auto refused = [&](const std::string& path, const json& body) {
        const RawResponse response = as("mail", "POST", path, body.dump());
        EXPECT_EQ(response.status, 403) << path << response.body;
        EXPECT_THAT(response.body, HasSubstr("bsecret-type")) << path;
    };
    refused(
        "/api/v1/external-jobs/acquire",
        {{"worker", "w"}, {"topics", {"mail", "bsecret-type"}}, {"wait", "PT30S"}}
    );
    refused(
        "/external-job-api/acquire/jobs",
        {{"workerId", "w"}, {"topic", "bsecret-type"}, {"lockDuration", "PT1M"}}
    );
    refused(
        "/engine-rest/external-task/fetchAndLock",
        {{"workerId", "w"},
         {"maxTasks", 1},
         {"topics", json::array({json{{"topicName", "bsecret-type"}, {"lockDuration", 60000}}})}}
    );
}

TEST_F(ScopeTest, Nothing_is_said_about_jobs_of_other_topics_even_by_the_name_of_their_worker) {
    ASSERT_EQ(acquired("all", json::array({"bsecret-type"})).size(), 1U);
    const std::string id = "bsecret-external";
    const auto answer = [&](const std::string& path, const json& body) {
        return as("mail", "POST", path, body.dump());
    };
    const RawResponse finished = answer(
        "/api/v1/external-jobs/finish",
        {{"worker", "w"}, {"results", json::array({json{{"id", id}}})}}
    );
    EXPECT_EQ(json::parse(finished.body)["done"], 0);
    EXPECT_EQ(json::parse(finished.body)["refused"][0]["answer"], "not found");
    for (const char* const verb : {"extend", "release"}) {
        const json order{
            {"worker", "w"}, {"jobs", json::array({json{{"id", id}}})}, {"lockDuration", "PT1M"}};
        const RawResponse held = answer(fmt::format("/api/v1/external-jobs/{}", verb), order);
        EXPECT_EQ(json::parse(held.body)["done"], 0) << verb;
    }
    const json worker{{"workerId", "w"}};
    EXPECT_EQ(answer("/engine-rest/external-task/" + id + "/complete", worker).status, 404);
    EXPECT_EQ(answer("/external-job-api/acquire/jobs/" + id + "/complete", worker).status, 404);
    EXPECT_EQ(answer("/external-job-api/unacquire/jobs", worker).status, 204);
    EXPECT_EQ(json::parse(as("all", "GET", "/api/v1/jobs/" + id).body)["lockOwner"], "w");
}

TEST_F(ScopeTest, A_token_is_for_the_engines_that_it_names) {
    EXPECT_EQ(as("here", "GET", "/api/v1/nodes").status, 200);
    const RawResponse refused = as("elsewhere", "GET", "/api/v1/nodes");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, HasSubstr("engine \\\"main\\\""));
}

TEST_F(ScopeTest, Jobs_that_are_done_are_seen_as_those_that_wait_are) {
    const std::string others = std::string(kSecret) + "-done";
    FinishedRun run{.ended = clock.now(), .job = "done", .handler_type = "mail"};
    run.tenant_id = "a";
    FinishedRun other = run;
    other.job = others;
    other.tenant_id = kSecret;
    // The one that is not seen is the latest, and a page of one goes on behind it.
    engine.run_store().add_runs(std::vector{run, other});
    const auto seen = [&](const std::string& name) {
        const RawResponse page = as(name, "GET", "/api/v1/jobs?place=done&limit=1");
        return ids_in(json::parse(page.body).at("items"));
    };
    EXPECT_EQ(seen("all"), std::vector{others});
    EXPECT_EQ(seen("reader"), std::vector<std::string>{"done"});
    EXPECT_EQ(as("reader", "GET", "/api/v1/jobs/done").status, 200);
    EXPECT_EQ(as("reader", "GET", "/api/v1/jobs/" + others).status, 404);
    EXPECT_EQ(as("all", "GET", "/api/v1/jobs/" + others).status, 200);
    EXPECT_THAT(verb("reader", "job/ls", {"--place", "done"}).body, Not(HasSubstr(kSecret)));
    EXPECT_NE(verb("reader", "job/show", {others}).status, 200);
    EXPECT_EQ(verb("all", "job/show", {others}).status, 200);
}

struct HidingRow {
    std::string payload;
    std::string shown;
};

TEST(HiddenMembers, Have_no_values_and_all_else_stays_as_it_was_written) {
    const std::vector<std::string> names{"password", "Card"};
    const std::vector<HidingRow> rows{
        {R"({"password":"x","n":2.50})", R"({"password":"***","n":2.50})"},
        {R"({ "PASSWORD" : [1,{"a":"]"}] , "b":1})", R"({ "PASSWORD" : "***" , "b":1})"},
        {R"([{"card":12345678901234567890},{"card":null}])", R"([{"card":"***"},{"card":"***"}])"},
        {R"({"a":{"card":{"n":{}}},"passwords":"p"})", R"({"a":{"card":"***"},"passwords":"p"})"},
        {R"({"pass\u0077ord":true})", R"({"pass\u0077ord":"***"})"},
        {R"({"a":"password","b":"\"card\":1"})", R"({"a":"password","b":"\"card\":1"})"},
        {R"("password")", R"("password")"},
        {R"({"card":-1.5e3
})",
         R"({"card":"***"
})"},
        {"no JSON, \"password\":1", "no JSON, \"password\":1"},
        {"", ""},
    };
    for (const HidingRow& row : rows) {
        EXPECT_EQ(service::without_values_of(names, row.payload), row.shown) << row.payload;
    }
    EXPECT_EQ(service::without_values_of({}, rows.front().payload), rows.front().payload);
}

TEST(HiddenMembers, Are_all_that_there_is_where_the_name_says_so) {
    const std::vector<std::string> all{"*"};
    EXPECT_EQ(service::without_values_of(all, R"({"order":17})"), R"("***")");
    EXPECT_EQ(service::without_values_of(all, "no JSON"), R"("***")");
    EXPECT_EQ(service::without_values_of(all, ""), "");
    const std::vector<std::string> path{"order"};
    EXPECT_TRUE(service::is_hidden_path(all, path));
}

/// A service that hides a member from readers.
class HiddenFromReaders : public test::ApiTest {
protected:
    HiddenFromReaders() {
        add(R"({"handlerType":"noop","id":"j","payload":{"order":17,"pin":"s3cret"}})");
        add(R"({"handlerType":"noop","id":"d","payload":{"order":18,"pin":"s3cret"}})");
        EXPECT_EQ(ask(post("/api/v1/jobs/cancel", R"({"ids":["d"],"reason":"x"})")).status, 200);
        add(R"({"handlerType":"noop","id":"t","dueDate":"P1D","payload":{"pin":"s3cret"}})");
        const auto entry = [](std::string name, Role role, const std::string& token) {
            return service::TokenEntry{
                .name = std::move(name),
                .role = role,
                .hash = service::hash_of(token),
                .created = "x"};
        };
        settings.http.token_file = (directory.path() / "tokens").string();
        settings.http.hidden_members = {"pin"};
        service::write_tokens(
            settings.http.token_file,
            {entry("look", Role::read, reader), entry("work", Role::worker, worker)}
        );
        http.reset();
        http = std::make_unique<service::HttpService>(parts, false);
        http->start();
    }

    const std::string reader = service::new_token();
    const std::string worker = service::new_token();
};

TEST_F(HiddenFromReaders, Are_members_on_every_road_but_not_from_those_who_work) {
    const auto verb = [](const std::string& words, const json& arguments) {
        return std::pair(words, json{{"arguments", arguments}}.dump());
    };
    const auto with = [](const std::string& token) {
        return "Authorization: Bearer " + token + "\r\n";
    };
    for (const std::string path :
         {"/api/v1/jobs",
          "/api/v1/jobs?sort=created&place=executable",
          "/api/v1/jobs/j",
          "/api/v1/dead",
          "/api/v1/dead/d",
          "/api/v1/timers",
          "/api/v1/timers/t",
          "/process-api/management/jobs/j"}) {
        const auto hidden = ask(get(path, with(reader)));
        EXPECT_EQ(hidden.status, 200) << path << hidden.body;
        EXPECT_THAT(hidden.body, Not(HasSubstr("s3cret"))) << path;
        EXPECT_EQ(ask(get(path, with(worker))).status, 200) << path;
    }
    for (const auto& [words, body] :
         {verb("job/ls", json::array({"--place", "all"})),
          verb("job/show", json::array({"j"})),
          verb("dead/export", json::array({"--all"})),
          verb("dead/ls", json::array({"-o", "table"})),
          verb("job/show", json::array({"j", "-o", "table"})),
          verb("job/ls", json::array({"-o", "csv"}))}) {
        // As `jobstrand --server` asks, whatever the format.
        const std::string headers =
            with(reader) + "Accept: application/vnd.jobstrand.verb+json\r\n";
        const auto hidden = ask(post("/api/v1/verbs/" + words, body, headers));
        EXPECT_EQ(hidden.status, 200) << words << hidden.body;
        EXPECT_THAT(hidden.body, HasSubstr(R"("exitCode":0)")) << words;
        EXPECT_THAT(hidden.body, Not(HasSubstr("s3cret"))) << words;
    }
    EXPECT_THAT(ask(get("/api/v1/jobs/j", with(reader))).body, HasSubstr(R"("pin":"***")"));
    EXPECT_THAT(ask(get("/api/v1/jobs/j", with(worker))).body, HasSubstr("s3cret"));
}

TEST_F(HiddenFromReaders, Are_no_terms_of_a_search_by_which_they_could_be_guessed) {
    const auto with = [](const std::string& token) {
        return "Authorization: Bearer " + token + "\r\n";
    };
    for (const std::string term :
         {"payload.pin:s3cret",
          "payload.PIN:s*",
          "-payload.pin",
          "has:payload.a.pin.b",
          "payload.order:17%20OR%20NOT(payload.Pin%3E5)"}) {
        for (const std::string path :
             {"/api/v1/jobs?where=",
              "/api/v1/jobs?place=all&where=",
              "/api/v1/jobs?place=executable&sort=created&where=",
              "/api/v1/dead?where=",
              "/api/v1/dead?newest=true&where=",
              "/api/v1/dead/groups?where=",
              "/api/v1/timers?where="}) {
            const auto refused = ask(get(path + term, with(reader)));
            EXPECT_EQ(refused.status, 403) << path << term << refused.body;
            EXPECT_EQ(ask(get(path + term, with(worker))).status, 200) << path << term;
        }
    }
    const auto found = [&](const std::string& token, const std::string& where) {
        std::string ids;
        const auto answer = ask(get("/api/v1/jobs?place=all&where=" + where, with(token)));
        const json page = json::parse(answer.body);
        for (const json& job : page.at("items")) {
            ids += job.at("id").get<std::string>();
        }
        return ids;
    };
    EXPECT_EQ(found(reader, "payload.order:17"), "j");
    EXPECT_EQ(found(worker, "payload.pin:s3cret"), "djt");
    EXPECT_EQ(found(worker, "payload.order%3E17%20OR%20-payload.order"), "dt");
}

}  // namespace

}  // namespace jobstrand
