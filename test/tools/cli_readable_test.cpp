#include "test/fixtures/without_root.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

/// A SQLite file that this user may read and not write, in a directory of the same kind.
class CliReadable : public CliTest {
protected:
    CliReadable() {
        const std::filesystem::path folder = path_of("theirs");
        std::filesystem::permissions(folder.parent_path(), std::filesystem::perms{0755});
        std::filesystem::create_directory(folder);
        EXPECT_EQ(on_file({"schema", "create"}).code, ExitCode::done);
        EXPECT_EQ(on_file({"job", "add", "--type", "mail", "--id", "a"}).code, ExitCode::done);
        std::filesystem::permissions(folder / "jobs.db", std::filesystem::perms{0444});
        std::filesystem::permissions(folder, std::filesystem::perms{0555});
    }

    ~CliReadable() override {
        std::filesystem::permissions(path_of("theirs"), std::filesystem::perms{0755});
    }

    CliResult on_file(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--db", "sqlite:" + path_of("theirs/jobs.db")});
        return run_bare(arguments);
    }

    CliResult as_somebody(const std::vector<std::string>& arguments) {
        const WithoutRoot somebody;
        return on_file(arguments);
    }
};

TEST_F(CliReadable, Is_read_by_every_command_that_only_reads) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"stats"},
             {"job", "ls"},
             {"job", "show", "a"},
             {"job", "explain", "a"},
             {"top", "--once"},
             {"schema", "check"},
             {"schema", "index", "priority"},
         }) {
        const CliResult result = as_somebody(command);
        EXPECT_EQ(result.code, ExitCode::done) << result.err;
    }
    EXPECT_THAT(as_somebody({"job", "ls", "-o", "name"}).out, "a\n");
    const CliResult doctor = as_somebody({"doctor"});
    EXPECT_EQ(doctor.code, ExitCode::check_found) << "no node lives";
    EXPECT_THAT(doctor.out, HasSubstr("complete, version"));
}

TEST_F(CliReadable, Refuses_each_change_with_a_sentence) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"job", "add", "--type", "mail"},
             {"job", "rm", "a"},
             {"schema", "index", "priority", "--create"},
             {"schema", "upgrade"},
         }) {
        const CliResult result = as_somebody(command);
        EXPECT_EQ(result.code, ExitCode::failed);
        EXPECT_EQ(
            result.err,
            "jobstrand: cannot open the database " + path_of("theirs/jobs.db") +
                ": it is read-only for this user: allow writing to the file and its directory (it "
                "opens only for reading)\n"
        );
    }
    EXPECT_EQ(on_file({"job", "ls", "-o", "name"}).out, "a\n");
}

}  // namespace
}  // namespace jobstrand::test
