#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
using testing::HasSubstr;
using testing::Not;

class CliSchema : public CliTest {
protected:
    void change_database(const std::string& sql) {
        const auto pool =
            persistence::open_database(persistence::parse_database_url(url()).value());
        pool->lease(persistence::SessionPool::Access::write)->run_script(sql);
    }

    CliResult on(const std::string& database, std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--db", database});
        return run_bare(arguments);
    }
};

TEST_F(CliSchema, Create_makes_the_tables_once) {
    const std::string url = "sqlite:" + path_of("new.db");
    EXPECT_EQ(on(url, {"schema", "create"}).out, "created the tables of version 24\n");
    EXPECT_EQ(on(url, {"schema", "create"}).out, "the tables have version 24 already\n");
    EXPECT_EQ(on(url, {"schema", "upgrade"}).out, "the tables have version 24 already\n");
    EXPECT_EQ(on(url, {"schema", "check"}).code, ExitCode::done);
}

TEST_F(CliSchema, Check_tells_what_differs) {
    change_database("ALTER TABLE ACT_RU_JOB DROP COLUMN RETRY_CYCLE_");
    const CliResult result = run({"schema", "check"});
    EXPECT_EQ(result.code, ExitCode::check_found);
    EXPECT_THAT(result.out, HasSubstr("RETRY_CYCLE_"));
}

TEST_F(CliSchema, Check_tells_programs_what_differs_and_how_to_mend_it) {
    EXPECT_EQ(ok({"schema", "check", "-o", "json"}), "[]\n");
    change_database("ALTER TABLE ACT_RU_JOB DROP COLUMN RETRY_CYCLE_");
    change_database("CREATE INDEX APP_IDX ON ACT_RU_JOB (TENANT_ID_)");
    const CliResult result = run({"schema", "check", "-o", "json"});
    EXPECT_EQ(result.code, ExitCode::check_found);
    EXPECT_EQ(nlohmann::json::parse(result.out), nlohmann::json::parse(R"([
            {"table": "ACT_RU_JOB",
             "description": "the column ACT_RU_JOB.RETRY_CYCLE_ is missing",
             "remark": false,
             "mend": ["ALTER TABLE ACT_RU_JOB ADD COLUMN RETRY_CYCLE_ TEXT"]},
            {"table": "ACT_RU_JOB",
             "description": "the index APP_IDX of ACT_RU_JOB (TENANT_ID_) is not Jobstrand's: every insert and delete writes it",
             "remark": true,
             "mend": []}])"));
    EXPECT_EQ(run({"schema", "check", "-o", "name"}).out, "ACT_RU_JOB\nACT_RU_JOB\n");
    EXPECT_THAT(
        run({"schema", "check", "-o", "csv"}).out,
        testing::StartsWith("table,description,remark,mend\r\n")
    );
    EXPECT_EQ(
        run({"schema", "check"}).out,
        "the column ACT_RU_JOB.RETRY_CYCLE_ is missing\n"
        "  ALTER TABLE ACT_RU_JOB ADD COLUMN RETRY_CYCLE_ TEXT;\n"
        "remark: the index APP_IDX of ACT_RU_JOB (TENANT_ID_) is not Jobstrand's: every insert and "
        "delete writes it\n"
    );
}

TEST_F(CliSchema, Times_of_sqlite_last_already) {
    EXPECT_EQ(
        ok({"schema", "upgrade", "--datetime"}),
        "the tables have version 24 already\ntimes are kept in a type that lasts already\n"
    );
}

TEST_F(CliSchema, Check_of_remarks_only_finds_nothing) {
    change_database("CREATE INDEX APP_IDX ON ACT_RU_JOB (TENANT_ID_)");
    const std::string out = ok({"schema", "check"});
    EXPECT_THAT(out, HasSubstr("the tables are as this program expects them\n"));
    EXPECT_THAT(out, HasSubstr("remark: the index APP_IDX"));
}

TEST_F(CliSchema, Upgrade_completes_tables_of_others_and_create_refuses_them) {
    change_database("DELETE FROM ACT_GE_PROPERTY");
    change_database("ALTER TABLE ACT_RU_JOB DROP COLUMN RETRY_CYCLE_");
    const CliResult refused = run({"schema", "create"});
    EXPECT_EQ(refused.code, ExitCode::failed);
    EXPECT_THAT(refused.err, HasSubstr("`jobstrand schema upgrade --db " + url() + "`"));
    EXPECT_EQ(run({"schema", "check"}).code, ExitCode::check_found);
    EXPECT_EQ(
        ok({"schema", "upgrade"}), "added to the tables that were there what version 24 needs\n"
    );
    EXPECT_EQ(run({"schema", "check"}).code, ExitCode::done);
    EXPECT_EQ(ok({"schema", "upgrade"}), "the tables have version 24 already\n");
}

// R051 R052: the operator's duty; the schema is complete with and without it.
TEST_F(CliSchema, An_index_that_a_setting_needs_comes_and_goes_by_command) {
    const std::string name = "JS_IDX_JOB_PRIORITY of ACT_RU_JOB: ";
    EXPECT_EQ(ok({"schema", "index", "priority"}), name + "is not there\n");
    EXPECT_EQ(ok({"schema", "index", "priority", "--create"}), name + "created\n");
    EXPECT_EQ(ok({"schema", "index", "priority", "--create"}), name + "was there already\n");
    EXPECT_EQ(ok({"schema", "index", "priority"}), name + "is there\n");
    EXPECT_EQ(run({"schema", "check"}).code, ExitCode::done);
    EXPECT_EQ(ok({"schema", "index", "priority", "--drop"}), name + "dropped\n");
    EXPECT_EQ(ok({"schema", "index", "priority", "--drop"}), name + "was not there\n");
    EXPECT_EQ(run({"schema", "check"}).code, ExitCode::done);
    EXPECT_EQ(run({"schema", "index", "colour", "--create"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(
        run({"schema", "index", "priority", "--create", "--drop"}).code, ExitCode::wrong_usage
    );
}

TEST_F(CliSchema, Print_shows_optional_indexes_when_asked) {
    for (const std::string kind : {"sqlite", "mysql", "postgresql"}) {
        const std::vector<std::string> print{"schema", "print", "--dialect", kind};
        EXPECT_THAT(run_bare(print).out, testing::Not(HasSubstr("JS_IDX_JOB_PRIORITY")));
        std::vector<std::string> all = print;
        all.push_back("--optional-indexes");
        EXPECT_THAT(run_bare(all).out, HasSubstr("JS_IDX_JOB_PRIORITY ON ACT_RU_JOB"));
    }
}

TEST_F(CliSchema, Print_needs_no_database) {
    for (const std::string kind : {"sqlite", "mysql", "postgresql"}) {
        const CliResult result = run_bare({"schema", "print", "--dialect", kind});
        EXPECT_EQ(result.code, ExitCode::done);
        EXPECT_THAT(result.out, HasSubstr("ACT_RU_DEADLETTER_JOB"));
    }
    EXPECT_EQ(run_bare({"schema", "print", "--dialect", "oracle"}).code, ExitCode::wrong_usage);
}

TEST_F(CliSchema, What_is_printed_makes_the_same_tables) {
    const std::string sql = run_bare({"schema", "print", "--dialect", "sqlite"}).out;
    const std::string path = path_of("by-hand.db");
    const auto by_hand = persistence::parse_database_url("sqlite:" + path).value();
    persistence::open_database(by_hand, {.create_if_missing = true})
        ->lease(persistence::SessionPool::Access::write)
        ->run_script(sql);
    EXPECT_EQ(on("sqlite:" + path, {"schema", "check"}).code, ExitCode::done);
}

TEST_F(CliSchema, A_missing_database_or_missing_tables_name_the_command_that_helps) {
    const std::string missing = "sqlite:" + path_of("missing.db");
    const CliResult none = on(missing, {"job", "ls"});
    EXPECT_EQ(none.code, ExitCode::failed);
    EXPECT_THAT(none.err, HasSubstr("`jobstrand schema create --db " + missing + "`"));
    EXPECT_FALSE(std::filesystem::exists(path_of("missing.db")));

    std::ofstream(path_of("empty.db")).flush();
    const std::string empty = "sqlite:" + path_of("empty.db");
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"job", "ls"}, {"schema", "upgrade"}, {"stats"}}) {
        const CliResult result = on(empty, call);
        EXPECT_EQ(result.code, ExitCode::failed);
        EXPECT_THAT(result.err, HasSubstr("`jobstrand schema create --db " + empty + "`"));
    }
    EXPECT_EQ(on(empty, {"schema", "check"}).code, ExitCode::check_found);
}

TEST_F(CliSchema, A_newer_database_is_refused_and_left_alone) {
    add();
    change_database(
        "UPDATE ACT_GE_PROPERTY SET VALUE_ = '99' WHERE NAME_ = 'jobstrand.schema.version'"
    );
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"job", "add", "--type", "noop"},
          {"schema", "upgrade"},
          {"stats"}}) {
        const CliResult result = run(call);
        EXPECT_EQ(result.code, ExitCode::failed);
        EXPECT_THAT(result.err, HasSubstr("newer"));
    }
}

TEST_F(CliSchema, A_file_that_is_no_database_is_told_and_left_alone) {
    const std::string text(5000, 'x');
    const std::string path = file("text.db", text);
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"job", "ls"}, {"schema", "create"}, {"schema", "check"}}) {
        const CliResult result = on("sqlite:" + path, call);
        EXPECT_EQ(result.code, ExitCode::failed) << result.err;
        EXPECT_THAT(result.err, HasSubstr("text.db"));
    }
    std::ifstream unchanged(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(unchanged), {}), text);
}

TEST_F(CliSchema, A_url_that_cannot_be_meant_is_wrong_usage) {
    for (const std::string url : {"", "jobs.db", "oracle:x", "sqlite:", "mysql://host:port/x"}) {
        const CliResult result = on(url, {"job", "ls"});
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << url;
        EXPECT_THAT(result.err, testing::StartsWith("jobstrand: "));
    }
}

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
