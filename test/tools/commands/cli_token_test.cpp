#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;
using testing::Not;

class CliToken : public CliTest {
protected:
    CliResult token(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "token");
        arguments.insert(arguments.end(), {"--file", path_of("tokens")});
        return run(arguments);
    }
};

TEST_F(CliToken, A_token_is_printed_once_and_the_file_has_its_hash) {
    const CliResult made = token({"make", "shop", "--role", "worker"});
    EXPECT_EQ(made.code, ExitCode::done);
    EXPECT_THAT(made.out, testing::MatchesRegex("jst_[A-Za-z0-9_-]+\n"));
    std::ostringstream content;
    content << std::ifstream(path_of("tokens")).rdbuf();
    EXPECT_THAT(content.str(), HasSubstr("shop worker sha256:"));
    EXPECT_THAT(content.str(), Not(HasSubstr(made.out.substr(0, made.out.size() - 1))));

    const CliResult made_as_json = token({"make", "ops", "--role", "admin", "-o", "json"});
    EXPECT_EQ(nlohmann::json::parse(made_as_json.out)["role"], "admin");
    EXPECT_EQ(token({"ls", "-o", "name"}).out, "shop\nops\n");
}

TEST_F(CliToken, A_name_that_is_taken_is_refused_and_one_that_is_not_there_not_found) {
    EXPECT_EQ(token({"make", "shop", "--role", "read"}).code, ExitCode::done);
    EXPECT_EQ(token({"make", "shop", "--role", "admin"}).code, ExitCode::refused);
    EXPECT_EQ(token({"revoke", "shop", "other"}).code, ExitCode::not_found);
    EXPECT_EQ(token({"ls", "-o", "name"}).out, "shop\n");
    EXPECT_EQ(token({"revoke", "shop"}).code, ExitCode::done);
    EXPECT_EQ(token({"ls", "-o", "name"}).out, "");
}

TEST_F(CliToken, A_token_may_be_for_some_jobs_and_some_time) {
    const CliResult made = token(
        {"make",
         "mailer",
         "--role",
         "worker",
         "--topics",
         "mail,invoice.*",
         "--tenants",
         "acme",
         "--engines",
         "main",
         "--expires",
         "P30D"}
    );
    EXPECT_EQ(made.code, ExitCode::done) << made.err;
    const auto listed = nlohmann::json::parse(token({"ls", "-o", "json"}).out).at(0);
    EXPECT_EQ(listed["topics"], (nlohmann::json::array({"mail", "invoice.*"})));
    EXPECT_EQ(listed["tenants"], nlohmann::json::array({"acme"}));
    EXPECT_EQ(listed["engines"], nlohmann::json::array({"main"}));
    EXPECT_THAT(listed["expires"].get<std::string>(), testing::EndsWith("Z"));
    EXPECT_THAT(token({"ls"}).out, HasSubstr("mail,invoice.*"));
    EXPECT_EQ(token({"make", "plain", "--role", "read"}).code, ExitCode::done);
    EXPECT_EQ(nlohmann::json::parse(token({"ls", "-o", "json"}).out).at(1)["expires"], nullptr);
}

TEST_F(CliToken, What_cannot_be_meant_so_is_wrong_usage) {
    expect_wrong_usage(
        {"token"},
        {{{"make", "a b", "--role", "read", "--file", path_of("tokens")}, "1 to 64 letters"},
         {{"make", "shop", "--role", "owner", "--file", path_of("tokens")},
          "read, worker or admin"},
         {{"make", "a", "--role", "read", "--topics", "x", "--file", path_of("tokens")},
          "--topics is for the role worker"},
         {{"make", "a", "--role", "worker", "--topics", "x*y", "--file", path_of("tokens")},
          "* at its end"},
         {{"make", "a", "--role", "read", "--tenants", "", "--file", path_of("tokens")},
          "--tenants must be names"},
         {{"make", "a", "--role", "read", "--expires", "1h ago", "--file", path_of("tokens")},
          "still to come"},
         {{"make", "shop", "--role", "read"}, "no token file"}}
    );
}

TEST_F(CliToken, A_file_that_others_may_read_is_refused) {
    EXPECT_EQ(token({"make", "shop", "--role", "read"}).code, ExitCode::done);
    std::filesystem::permissions(
        path_of("tokens"), std::filesystem::perms::others_read, std::filesystem::perm_options::add
    );
    const CliResult listed = token({"ls"});
    EXPECT_EQ(listed.code, ExitCode::failed);
    EXPECT_THAT(listed.err, HasSubstr("chmod 600"));
}

}  // namespace
}  // namespace jobstrand::test
