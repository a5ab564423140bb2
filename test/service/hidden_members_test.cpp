#include "test/service/api_fixture.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/access/token_file.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using service::Role;
using test::get;
using test::post;
using testing::HasSubstr;
using testing::Not;

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
