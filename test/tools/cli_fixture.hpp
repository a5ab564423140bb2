#pragma once

#include "test/fixtures/temporary_directory.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/program/run_cli.hpp"

#include <gtest/gtest.h>

#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

/// What one call of the program left behind.
struct CliResult {
    cli::ExitCode code = cli::ExitCode::failed;
    std::string out;
    std::string err;
};

/// Runs the program in this process, on a database without jobs (see empty_cli_database), which has
/// its tables.
class CliTest : public testing::Test {
protected:
    CliTest();
    ~CliTest() override;

    /// Arguments are given to `jobstrand --db URL`; `input` is its stdin.
    CliResult run(const std::vector<std::string>& arguments, const std::string& input = "");

    /// The same with exactly these arguments, and the environment of this test.
    CliResult run_bare(const std::vector<std::string>& arguments, const std::string& input = "");

    /// The same with a stdin of any kind.
    CliResult run_reading(std::istream& in, const std::vector<std::string>& arguments);

    /// Like run(), for calls that are to work: anything else is a failure of the test. Returns
    /// stdout.
    std::string ok(const std::vector<std::string>& arguments, const std::string& input = "");

    /// Adds a job with `job add ARGUMENTS` and returns its id.
    std::string add(const std::vector<std::string>& arguments = {"--type", "noop"});

    /// Adds a job that has become a dead letter, with the message and details of its last failure.
    std::string add_dead(const std::string& message = "it broke", const std::string& details = "");

    /// Lets another node hold a job.
    void lock(const std::string& id);

    /// Runs a statement from beside the program.
    void execute(std::string_view sql);

    /// Runs the commands in the first block of a section of a document, pipes too. Each has to
    /// work. Returns how many there were.
    int run_document(const std::string& document, const std::string& heading);

    /// `executable=1 dead=2`: the places that hold jobs.
    std::string places();

    /// The value that `job show -o json` has under a name, as JSON; empty: there is no such job.
    std::string field(const std::string& id, const std::string& name);

    /// Writes a file into the test's folder and returns its path.
    std::string file(const std::string& name, const std::string& content);

    [[nodiscard]] std::string path_of(const std::string& name) const;
    [[nodiscard]] const std::string& url() const { return url_; }

    /// The database from beside the program, as an app or a node sees it.
    engine::Wiring& engine();

    cli::Environment environment_;
    bool is_terminal_ = false;

private:
    const TemporaryDirectory directory_;
    const std::string url_;
    schema::SystemClock clock_;
    schema::SilentLog log_;
    std::unique_ptr<engine::Wiring> engine_;
};

/// The URL of a database without jobs, for one test of the command line: a SQLite file in `folder`,
/// or, if the environment's JOBSTRAND_TEST_SERVER is `mariadb` or `postgresql`, the database that
/// all tests of this program share on a server of its own, emptied. So the same tests run on each
/// kind of database. Where the server cannot be had, all tests of the program are skipped.
[[nodiscard]] std::string empty_cli_database(const std::string& folder);

}  // namespace jobstrand::test
