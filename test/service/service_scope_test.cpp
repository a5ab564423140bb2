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
             entry("admin", Role::admin, {.tenants = {"a"}})}
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

}  // namespace

}  // namespace jobstrand
