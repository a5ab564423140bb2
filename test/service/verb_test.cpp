#include "test/service/api_fixture.hpp"
#include "tools/access/token_file.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/surface/run_for_client.hpp"
#include "tools/surface/verb_call.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using service::Role;
using test::post;
using test::RawResponse;
using testing::HasSubstr;

class VerbTest : public test::ApiTest {
protected:
    [[nodiscard]] RawResponse
    verb(std::string_view path, std::string_view body = "{}", std::string_view headers = {}) const {
        return ask(post(fmt::format("/api/v1/verbs/{}", path), body, headers));
    }
};

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

}  // namespace
}  // namespace jobstrand
