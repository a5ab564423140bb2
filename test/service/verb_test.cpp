#include "test/service/api_fixture.hpp"
#include "tools/access/token_file.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/surface/run_for_client.hpp"
#include "tools/surface/verb_call.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using service::Role;
using test::get;
using test::post;
using test::RawResponse;
using testing::HasSubstr;
using testing::Not;

class VerbTest : public test::ApiTest {
protected:
    [[nodiscard]] RawResponse
    verb(std::string_view path, std::string_view body = "{}", std::string_view headers = {}) const {
        return ask(post(fmt::format("/api/v1/verbs/{}", path), body, headers));
    }

    /// The answer that our own client asks for.
    [[nodiscard]] json whole(std::string_view path, std::string_view body = "{}") const {
        const RawResponse response =
            verb(path, body, fmt::format("Accept: {}\r\n", cli::kVerbAnswerType));
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body);
    }

    [[nodiscard]] std::string add_one() const { return add(R"({"handlerType":"noop"})"); }
};

TEST_F(VerbTest, Runs_and_its_output_is_the_body) {
    const std::string id = add_one();
    const RawResponse listed = verb("job/ls", R"({"arguments":["--type","noop"]})");
    EXPECT_EQ(listed.status, 200) << listed.body;
    EXPECT_EQ(json::parse(listed.body).at(0).at("id"), id);
    EXPECT_THAT(listed.head, HasSubstr("application/json"));
    EXPECT_THAT(listed.head, HasSubstr("Jobstrand-Exit-Code: 0"));
    EXPECT_EQ(json::parse(verb("stats").body).at("places").at("executable"), 1);
    EXPECT_EQ(verb("stats", "").status, 200) << "there is nothing to say";
}

TEST_F(VerbTest, Of_a_list_that_is_too_long_no_more_is_read_than_that) {
    const auto refusal = [this](const json& call) {
        const RawResponse response = verb("job/ls", call.dump());
        EXPECT_EQ(response.status, 400);
        return response.body;
    };
    EXPECT_THAT(
        refusal({{"arguments", std::vector<std::string>(1'000'000, "a")}}),
        HasSubstr("arguments has more than 10000 items")
    );
    json many = json::object();
    for (int i = 0; i < 1001; ++i) {
        many[std::to_string(i)] = "";
    }
    EXPECT_THAT(refusal({{"files", many}}), HasSubstr("files has more than 1000 members"));
    EXPECT_THAT(refusal(many), HasSubstr("has more than 100 members"));
}

TEST_F(VerbTest, The_past_and_definitions_can_be_read_under_paths_of_their_own) {
    const auto read = [this](const std::string& path) { return ask(get(path)); };
    const std::string id = add_one();
    EXPECT_EQ(verb("job/cancel", json{{"arguments", {id, "--reason", "x"}}}.dump()).status, 200);
    const json lines = json::parse(read("/api/v1/log?type=noop&event=dead&limit=10").body);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0]["jobId"], id);
    EXPECT_EQ(read("/api/v1/log?type=other").body, "[]\n");
    const std::string line = lines[0]["id"];
    EXPECT_EQ(json::parse(read("/api/v1/log/" + line).body)["reason"], "cancelled");
    EXPECT_EQ(read("/api/v1/log/none").status, 404);
    EXPECT_EQ(read("/api/v1/incidents").body, "[]\n");
    EXPECT_EQ(read("/api/v1/incidents?resolved=true").body, "[]\n");
    EXPECT_EQ(read("/api/v1/log?colour=red").status, 400);
    EXPECT_EQ(read("/api/v1/log?type=").status, 400);
    EXPECT_EQ(read("/api/v1/log?db=sqlite:x").status, 400);
    const std::string set = R"({"arguments":["a/b","--priority","7"]})";
    EXPECT_EQ(verb("definition/set", set).status, 200);
    EXPECT_EQ(json::parse(read("/api/v1/definitions/a%2Fb").body)["priority"], "7");
    EXPECT_EQ(json::parse(read("/api/v1/definitions?definition=a").body).size(), 1U);
}

TEST_F(VerbTest, Enqueues_what_was_sent_as_input) {
    const RawResponse added = verb(
        "job/add",
        R"({"arguments":["--from","-"],"input":"{\"handlerType\":\"a\"}\n{\"handlerType\":\"b\"}\n"})"
    );
    EXPECT_EQ(added.status, 200) << added.body;
    EXPECT_EQ(json::parse(verb("stats").body).at("places").at("executable"), 2);
}

TEST_F(VerbTest, Exit_codes_are_statuses) {
    const std::string id = add_one();
    const auto expect = [&](std::string_view path, const json& arguments, int status, auto body) {
        const RawResponse response = verb(path, json{{"arguments", arguments}}.dump());
        EXPECT_EQ(response.status, status) << arguments;
        EXPECT_THAT(response.body, body) << arguments;
    };
    expect("job/show", {"gone"}, 404, HasSubstr("there is no job gone"));
    expect("job/explain", {"gone"}, 404, HasSubstr("there is no job gone"));
    expect("job/explain", {id}, 200, HasSubstr(R"("reasons":[{"code":")"));
    expect("job/rm", {"--all"}, 409, HasSubstr("--yes"));
    expect("job/ls", {"--wrong"}, 400, HasSubstr("--wrong is not known"));
    expect("job/ls", {"--limit", "-1"}, 400, HasSubstr("--limit must be"));
    const RawResponse partly = verb("job/rm", json{{"arguments", {id, "gone"}}}.dump());
    EXPECT_EQ(partly.status, 200);
    EXPECT_THAT(partly.head, HasSubstr("Jobstrand-Exit-Code: 3"));
    EXPECT_EQ(json::parse(partly.body).at(0).at("answer"), "removed");
    EXPECT_EQ(json::parse(partly.body).at(1).at("answer"), "not found");
}

TEST_F(VerbTest, A_problem_has_all_that_was_said) {
    const json problem = json::parse(verb("job/rm", R"({"arguments":["gone","away"]})").body);
    EXPECT_EQ(problem.at("status"), 404);
    EXPECT_EQ(problem.at("detail"), "there is no job gone");
    EXPECT_EQ(
        problem.at("errors"), json::parse(R"(["there is no job gone","there is no job away"])")
    );
}

TEST_F(VerbTest, Our_own_client_gets_output_errors_and_exit_code_as_they_are) {
    const std::string id = add_one();
    const json named = whole("job/ls", R"({"arguments":["-o","name"]})");
    EXPECT_EQ(named, (json{{"exitCode", 0}, {"output", id + "\n"}, {"errors", ""}}));
    const json gone = whole("job/show", R"({"arguments":["gone"]})");
    EXPECT_EQ(gone.at("exitCode"), 4);
    EXPECT_EQ(gone.at("output"), "");
    EXPECT_EQ(gone.at("errors"), "jobstrand: there is no job gone\n");
    const json asked = whole("job/rm", R"({"arguments":["--all"],"canBeAsked":true})");
    EXPECT_EQ(asked.at("exitCode"), 5);
    EXPECT_THAT(asked.at("question").get<std::string>(), HasSubstr("1 job"));
    EXPECT_EQ(whole("job/ls", R"({"arguments":["-o","name"]})").at("output"), id + "\n");
}

TEST_F(VerbTest, Nothing_of_the_services_machine_is_reached) {
    const std::string secret = directory.path() / "secret";
    std::ofstream(secret) << R"({"handlerType":"stolen"})";
    const auto expect_refused = [&](std::string_view path, const json& arguments, auto body) {
        const RawResponse refused = verb(path, json{{"arguments", arguments}}.dump());
        EXPECT_EQ(refused.status, 400) << arguments;
        EXPECT_THAT(refused.body, body) << arguments;
        EXPECT_THAT(refused.body, Not(HasSubstr("stolen"))) << arguments;
    };
    expect_refused("job/add", {"--from", secret}, HasSubstr("reads no files"));
    expect_refused("job/add", {"--type", "a", "--payload", "@" + secret}, HasSubstr("no files"));
    expect_refused("calendar/set", {"a", "--from", secret}, HasSubstr("reads no files"));
    const std::vector<std::vector<std::string>> ours = {
        {"--db", "sqlite:" + secret},
        {"--config", secret},
        {"--engine", "other"},
        {"--server", "http://localhost:1"},
        {"--token-file", secret},
    };
    for (const std::vector<std::string>& arguments : ours) {
        expect_refused("job/ls", arguments, HasSubstr("its own database"));
    }
    EXPECT_EQ(json::parse(verb("stats").body).at("places").at("executable"), 0);
}

TEST_F(VerbTest, Nothing_waits_and_no_list_is_endless) {
    const auto expect_refused = [&](std::string_view path, const json& arguments, auto body) {
        const RawResponse refused = verb(path, json{{"arguments", arguments}}.dump());
        EXPECT_EQ(refused.status, 400) << arguments;
        EXPECT_THAT(refused.body, body) << arguments;
    };
    expect_refused("dead/requeue", {"--all", "--rate", "1"}, HasSubstr("--spread"));
    expect_refused("node/drain", {"node-1", "--wait"}, HasSubstr("node ls"));
    expect_refused("job/ls", {"--limit", "10001"}, HasSubstr("1 to 10000"));
}

TEST_F(VerbTest, Verbs_of_the_machine_itself_are_not_there) {
    for (const char* const path :
         {"serve",
          "schema/create",
          "schema/check",
          "job/run",
          "token/make",
          "token/ls",
          "config/check",
          "completion/bash",
          "manual",
          "help",
          "job",
          "job/help",
          "nothing",
          "job/nothing"}) {
        EXPECT_EQ(verb(path).status, 404) << path;
    }
}

TEST_F(VerbTest, The_arguments_cannot_name_another_verb) {
    (void)add_one();
    for (const json& arguments :
         {json{"rm", "--all", "--yes"}, json{"dead", "rm", "--all", "--yes"}, json{"--", "rm"}}) {
        EXPECT_EQ(verb("job/ls", json{{"arguments", arguments}}.dump()).status, 400) << arguments;
    }
    EXPECT_EQ(json::parse(verb("stats").body).at("places").at("executable"), 1);
}

TEST_F(VerbTest, What_takes_long_ends_when_the_service_stops) {
    (void)engine.enqueue_all(std::vector<schema::Job>(3000, {.handler_type = "noop"}));
    const auto remove = [&](bool is_stopping) {
        return cli::run_for_client(
            {"job", "rm"},
            {.arguments = {"--place", "executable", "--all", "--yes"}},
            engine,
            settings,
            [is_stopping] { return is_stopping; }
        );
    };
    const cli::VerbAnswer stopped = remove(true);
    EXPECT_EQ(stopped.exit_code, cli::ExitCode::partly_done);
    EXPECT_THAT(stopped.errors, HasSubstr("the service stops"));
    EXPECT_GT(json::parse(verb("stats").body).at("places").at("executable"), 0);
    EXPECT_EQ(remove(false).exit_code, cli::ExitCode::done);
    EXPECT_EQ(json::parse(verb("stats").body).at("places").at("executable"), 0);
}

TEST_F(VerbTest, A_body_that_cannot_be_meant_so_is_refused) {
    for (const char* const body :
         {"[]",
          "{",
          R"({"arguments":"ls"})",
          R"({"arguments":[1]})",
          R"({"input":1})",
          R"({"files":[]})",
          R"({"files":{"a":1}})",
          R"({"columns":0})",
          R"({"coloured":1})",
          R"({"more":1})"}) {
        EXPECT_EQ(verb("job/ls", body).status, 400) << body;
    }
}

class VerbRoleTest : public VerbTest {
protected:
    VerbRoleTest() {
        std::vector<service::TokenEntry> entries;
        for (const Role role : {Role::read, Role::worker, Role::admin}) {
            tokens[role] = service::new_token();
            entries.push_back(
                {.name = std::string(name_of(role)),
                 .role = role,
                 .hash = service::hash_of(tokens[role]),
                 .created = "x"}
            );
        }
        settings.http.token_file = directory.path() / "tokens";
        service::write_tokens(settings.http.token_file, entries);
        http.reset();
        http = std::make_unique<service::HttpService>(parts, false);
        http->start();
    }

    [[nodiscard]] int status(Role role, const std::string& path) {
        return verb(path, "{}", fmt::format("Authorization: Bearer {}\r\n", tokens[role])).status;
    }

    std::map<Role, std::string> tokens;
};

/// By noun and verb: what services run, and for whom.
[[nodiscard]] std::map<std::string, Role> roles_of_verbs() {
    std::map<std::string, Role> roles;
    for (const cli::OperationNoun& noun : cli::operation_nouns()) {
        for (const cli::Operation& operation : noun.operations) {
            if (!operation.text.is_local) {
                roles.emplace(operation.text.words, operation.text.role);
            }
        }
    }
    return roles;
}

TEST_F(VerbRoleTest, Each_verb_is_for_who_its_declaration_says) {
    const auto roles = roles_of_verbs();
    ASSERT_EQ(roles.at("job ls"), Role::read);
    ASSERT_EQ(roles.at("job add"), Role::worker);
    ASSERT_EQ(roles.at("dead rm"), Role::admin);
    for (const auto& [words, needed] : roles) {
        std::string path = words;
        std::ranges::replace(path, ' ', '/');
        for (const Role role : {Role::read, Role::worker, Role::admin}) {
            EXPECT_EQ(status(role, path) != 403, may(role, needed)) << words << name_of(role);
        }
        EXPECT_EQ(verb(path).status, 401) << words;
    }
}

// Whoever looks may call what changes nothing, and nothing else.
TEST_F(VerbRoleTest, Readers_may_use_exactly_what_changes_nothing) {
    std::vector<std::string> readable;
    for (const auto& [words, role] : roles_of_verbs()) {
        if (role == Role::read) {
            readable.push_back(words);
        }
    }
    EXPECT_THAT(
        readable,
        testing::ElementsAre(
            "audit ls",
            "batch ls",
            "batch show",
            "calendar ls",
            "calendar show",
            "config show",
            "dead export",
            "dead groups",
            "dead ls",
            "dead show",
            "definition ls",
            "definition settings",
            "definition show",
            "doctor",
            "group ls",
            "incident ls",
            "incident show",
            "instance ls",
            "job explain",
            "job ls",
            "job show",
            "limit ls",
            "lock ls",
            "log ls",
            "log show",
            "node ls",
            "rate ls",
            "rate types",
            "series ls",
            "series show",
            "stats",
            "tenant ls",
            "timer ls",
            "timer next",
            "timer show",
            "top",
            "type ls"
        )
    );
}

TEST_F(VerbRoleTest, Who_has_no_token_is_not_told_which_verbs_there_are) {
    EXPECT_EQ(verb("nothing").status, 401);
    EXPECT_EQ(status(Role::read, "nothing"), 404);
}

}  // namespace
}  // namespace jobstrand
