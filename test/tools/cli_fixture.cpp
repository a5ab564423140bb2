#include "test/tools/cli_fixture.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/job_transition.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/server_database.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>

namespace jobstrand::test {

namespace {

using cli::ExitCode;

/// Empty: no server, but a file.
[[nodiscard]] std::string_view named_server() {
    const char* const name = std::getenv("JOBSTRAND_TEST_SERVER");
    return name == nullptr ? "" : name;
}

[[nodiscard]] DatabaseServer& server() {
    return named_server() == "mariadb" ? static_cast<DatabaseServer&>(shared_mariadb_server())
                                       : shared_postgresql_server();
}

/// Its tables are made once, which takes a second. They hold the times far ahead that tests name.
struct DatabaseWithTables {
    DatabaseWithTables() {
        const auto connection = open_connection(database.url());
        persistence::upgrade_schema(*connection);
        (void)persistence::make_times_last(*connection);
    }

    const ServerDatabase database{server().url()};
};

[[nodiscard]] const ServerDatabase& shared_database() {
    static const DatabaseWithTables shared;
    return shared.database;
}

/// Skips the whole program.
class NeedsServer final : public testing::Environment {
    void SetUp() override {
        if (named_server().empty()) {
            return;
        }
        ASSERT_TRUE(named_server() == "mariadb" || named_server() == "postgresql");
        const auto missing = named_server() == "mariadb" ? MariaDbServer::what_is_missing()
                                                         : PostgresqlServer::what_is_missing();
        if (missing) {
            GTEST_SKIP() << *missing;
        }
    }
};

// GoogleTest owns it.
[[maybe_unused]] const auto* const needs_server =
    testing::AddGlobalTestEnvironment(new NeedsServer);

/// Words as a shell splits them; '...' is one.
std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> words;
    std::istringstream text(command);
    while (text >> std::ws && text.peek() != EOF) {
        std::string word;
        text >> std::quoted(word, '\'');
        words.push_back(word);
    }
    return words;
}

/// The lines of the first block of a section.
std::string block_of(const std::string& document, const std::string& heading) {
    std::ifstream file(std::string(JOBSTRAND_SOURCE_DIR) + '/' + document);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t section = text.find('\n' + heading + '\n');
    EXPECT_NE(section, std::string::npos) << heading;
    const std::size_t start = text.find("```sh\n", section) + 6;
    return text.substr(start, text.find("```", start) - start);
}

}  // namespace

std::string empty_cli_database(const std::string& folder) {
    if (named_server().empty()) {
        return "sqlite:" + folder + "/jobs.db";
    }
    shared_database().delete_rows();
    return url_text(shared_database().url());
}

CliTest::CliTest() : url_(empty_cli_database(directory_.path())) {
    ok({"schema", "create"});
}

CliTest::~CliTest() = default;

CliResult CliTest::run(const std::vector<std::string>& arguments, const std::string& input) {
    std::vector<std::string> all{"--db", url()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_bare(all, input);
}

CliResult CliTest::run_bare(const std::vector<std::string>& arguments, const std::string& input) {
    std::istringstream in(input);
    return run_reading(in, arguments);
}

CliResult CliTest::run_reading(std::istream& in, const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = cli::run_cli(
        arguments,
        {.in = in,
         .out = out,
         .err = err,
         .in_is_terminal = is_terminal_,
         .err_is_terminal = is_terminal_},
        environment_
    );
    return {.code = static_cast<ExitCode>(code), .out = out.str(), .err = err.str()};
}

std::string CliTest::ok(const std::vector<std::string>& arguments, const std::string& input) {
    const CliResult result = run(arguments, input);
    EXPECT_EQ(result.code, ExitCode::done) << result.err;
    return result.out;
}

std::string CliTest::add(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"job", "add"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::string id = ok(all);
    EXPECT_TRUE(id.ends_with('\n'));
    id.pop_back();
    return id;
}

std::string CliTest::add_dead(const std::string& message, const std::string& details) {
    const std::string id = add({"--type", "noop", "--retries", "1"});
    OpenStore node(url());
    const schema::TimePoint now = clock_.now();
    const persistence::LockClaim claim{
        .owner = "a-node", .until = now + std::chrono::hours(1), .now = now};
    const schema::Job job = node->executor().acquire_one(id, claim, now).job;
    const persistence::Outcome outcome{
        .job = std::make_shared<const schema::Job>(job),
        .transition = schema::failed(job, {.message = message, .details = details}, {}, now),
    };
    EXPECT_EQ(
        node->executor().apply("a-node", std::span(&outcome, 1)).front(),
        persistence::OutcomeAnswer::done
    );
    return id;
}

void CliTest::lock(const std::string& id) {
    const schema::TimePoint now = clock_.now();
    const persistence::LockClaim claim{
        .owner = "a-node", .until = now + std::chrono::hours(1), .now = now};
    OpenStore node(url());
    EXPECT_EQ(node->executor().acquire_one(id, claim, now).answer, persistence::JobAnswer::done);
}

void CliTest::execute(std::string_view sql) {
    open_connection(persistence::parse_database_url(url()).value())->execute(sql, {});
}

int CliTest::run_document(const std::string& document, const std::string& heading) {
    std::istringstream block(block_of(document, heading));
    int commands = 0;
    for (std::string line; std::getline(block, line);) {
        std::vector<std::string> arguments;
        std::string piped;
        for (const std::string& word : words_of(line + " |")) {
            if (word == "|") {
                piped = ok(arguments, piped);
                arguments.clear();
            } else if (word != "jobstrand") {
                arguments.push_back(word);
            }
        }
        ++commands;
    }
    return commands;
}

std::string CliTest::places() {
    const auto stats = nlohmann::ordered_json::parse(ok({"stats", "-o", "json"}));
    std::string text;
    for (const auto& [place, count] : stats.at("places").items()) {
        if (count != 0) {
            text += (text.empty() ? "" : " ") + place + '=' + count.dump();
        }
    }
    return text;
}

std::string CliTest::field(const std::string& id, const std::string& name) {
    const CliResult shown = run({"job", "show", id, "-o", "json"});
    return shown.code == ExitCode::done ? nlohmann::json::parse(shown.out).at(name).dump() : "";
}

std::string CliTest::file(const std::string& name, const std::string& content) {
    std::ofstream(path_of(name), std::ios::binary) << content;
    return path_of(name);
}

std::string CliTest::path_of(const std::string& name) const {
    return directory_.path() / name;
}

engine::Wiring& CliTest::engine() {
    if (!engine_) {
        engine::WiringOptions options{.database_url = url(), .update_schema = false};
        engine_ = std::make_unique<engine::Wiring>(std::move(options), clock_, log_);
    }
    return *engine_;
}

}  // namespace jobstrand::test
