#include "test/fixtures/background_process.hpp"
#include "test/fixtures/broken_stream.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <new>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

/// Commands that read stdin. What they read changes the database as a whole or not at all.
class CliInput : public CliTest {
protected:
    CliResult run_on(std::istream& in, const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"--db", url()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_reading(in, all);
    }

    /// The program itself, by a shell.
    ProgramResult run_in_shell(const std::string& arguments, const std::string& input = {}) {
        return run_program(
            {"/bin/sh", "-c", "'" JOBSTRAND_PROGRAM "' --db '" + url() + "' " + arguments}, input
        );
    }

    void expect_nothing_changed() {
        EXPECT_EQ(places(), "");
        EXPECT_EQ(ok({"calendar", "ls", "-o", "jsonl"}), "");
    }
};

std::string noop_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += R"({"handlerType":"noop","payload":{"n":)" + std::to_string(i) + "}}\n";
    }
    return text;
}

struct Reader {
    std::vector<std::string> arguments;
    std::string text;  ///< Begins like what it wants to read, and would do by itself.
};

std::vector<Reader> readers() {
    return {
        {{"job", "add", "--from", "-"}, noop_lines(3000)},
        {{"job", "add", "--from", "-", "--keep-going"}, noop_lines(3000)},
        {{"job", "add", "--type", "noop", "--payload", "-"}, "{\"n\":1}"},
        {{"calendar", "set", "holidays", "--from", "-"}, "annual 12-25"},
    };
}

TEST_F(CliInput, What_breaks_off_changes_nothing_and_is_a_failure) {
    for (const Reader& reader : readers()) {
        BrokenStream broken(reader.text);
        const CliResult result = run_on(broken, reader.arguments);
        EXPECT_EQ(result.code, ExitCode::failed) << reader.arguments[1];
        EXPECT_EQ(result.err, "jobstrand: cannot read stdin: Input/output error\n");
        EXPECT_EQ(result.out, "");
        expect_nothing_changed();
    }
}

TEST_F(CliInput, A_lack_of_memory_changes_nothing_and_is_a_failure) {
    for (const Reader& reader : readers()) {
        BrokenStream broken(reader.text, std::make_exception_ptr(std::bad_alloc()));
        const CliResult result = run_on(broken, reader.arguments);
        EXPECT_EQ(result.code, ExitCode::failed) << reader.arguments[1];
        EXPECT_EQ(result.err, "jobstrand: there is not enough memory\n");
        expect_nothing_changed();
    }
}

TEST_F(CliInput, The_same_texts_are_taken_when_they_come_to_their_end) {
    for (const Reader& reader : readers()) {
        ok(reader.arguments, reader.text);
    }
    EXPECT_EQ(places(), "executable=6001");
}

TEST_F(CliInput, A_real_stdin_that_cannot_be_read_is_a_failure) {
    for (const char* from : {"</", "<&-", "<'" JOBSTRAND_SOURCE_DIR "'"}) {
        for (const char* command :
             {"job add --from - ",
              "job add --type noop --payload - ",
              "calendar set x --from - "}) {
            const ProgramResult result = run_in_shell(std::string(command) + from);
            EXPECT_EQ(result.exit_code, 1) << command << from;
            EXPECT_THAT(result.err, HasSubstr("jobstrand: cannot read stdin: ")) << from;
        }
    }
    expect_nothing_changed();
}

TEST_F(CliInput, A_real_stdin_is_read_to_its_end) {
    const ProgramResult file = run_in_shell("job add --from -", noop_lines(5000));
    EXPECT_EQ(file.exit_code, 0) << file.err;
    EXPECT_EQ(places(), "executable=5000");
    const ProgramResult pipe = run_program(
        {"/bin/sh", "-c", "cat | '" JOBSTRAND_PROGRAM "' --db '" + url() + "' job add --from -"},
        noop_lines(5000)
    );
    EXPECT_EQ(pipe.exit_code, 0) << pipe.err;
    EXPECT_EQ(places(), "executable=10000");
}

TEST_F(CliInput, A_payload_that_is_too_long_or_nested_too_deep_is_refused) {
    const std::vector<std::string> add{"job", "add", "--type", "noop", "--payload", "-"};
    const CliResult large = run(add, '"' + std::string(9'000'000, 'x') + '"');
    EXPECT_EQ(large.code, ExitCode::wrong_usage);
    EXPECT_THAT(large.err, HasSubstr("--payload is longer than 8388608 bytes"));
    const CliResult deep = run(add, std::string(8'000'000, '['));
    EXPECT_EQ(deep.code, ExitCode::wrong_usage);
    EXPECT_THAT(deep.err, HasSubstr("more than 1000 deep"));
    const CliResult in_a_line =
        run({"job", "add", "--from", "-"},
            noop_lines(1) + R"({"handlerType":"command","payload":{"command":"x","args":)" +
                std::string(2000, '[') + std::string(2000, ']') + "}}\n");
    EXPECT_EQ(in_a_line.code, ExitCode::wrong_usage);
    EXPECT_THAT(in_a_line.err, HasSubstr("stdin:2: arrays and objects lie in each other"));
    expect_nothing_changed();
}

TEST_F(CliInput, A_line_with_many_mistakes_is_told_with_the_first_of_them) {
    std::string line = "{\"handlerType\":\"noop\"";
    for (int i = 0; i < 90; ++i) {
        line += ",\"field" + std::to_string(i) + "\":1";
    }
    const CliResult result = run({"job", "add", "--from", "-"}, line + "}");
    EXPECT_EQ(result.code, ExitCode::wrong_usage);
    EXPECT_THAT(result.err, HasSubstr("a job has no field field0;"));
    EXPECT_EQ(result.err.find("field20;"), std::string::npos);
    expect_nothing_changed();
}

}  // namespace
}  // namespace jobstrand::test
