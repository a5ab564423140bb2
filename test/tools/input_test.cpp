#include "tools/process/input.hpp"

#include "schema/text/time_text.hpp"
#include "test/fixtures/broken_stream.hpp"
#include "test/fixtures/notify_socket.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/handlers/child_process.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/log_line.hpp"
#include "tools/process/this_process.hpp"
#include "tools/process/unique_fd.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using nlohmann::json;
using schema::LogField;
using schema::LogLevel;
using test::BrokenStream;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::size_t kAll = 100'000'000;

/// Longer than any piece in which an input is read.
std::string long_text() {
    std::string text;
    for (int i = 0; i < 40'000; ++i) {
        text += std::to_string(i) + '\n';
    }
    return text;
}

class InputTest : public testing::Test {
protected:
    ~InputTest() override { ::unsetenv("TMPDIR"); }

    Input from(const std::string& text) {
        standard_input_ = std::istringstream(text);
        return Input::open(standard_input_, "--from", "-");
    }

    std::string file(const std::string& name, const std::string& content) {
        std::ofstream(directory_.path() / name, std::ios::binary) << content;
        return directory_.path() / name;
    }

    /// What ends the reading, as the user sees it.
    template <typename Read>
    static CliError error_of(const Read& read) {
        try {
            read();
        } catch (const CliError& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was thrown";
        return {ExitCode::done, ""};
    }

    const test::TemporaryDirectory directory_;
    std::istringstream standard_input_;
};

TEST_F(InputTest, Stdin_and_files_are_read_to_their_end) {
    const std::string text = long_text();
    EXPECT_EQ(from(text).next_bytes(kAll), text);
    const std::string path = file("numbers", text);
    EXPECT_EQ(Input::open(standard_input_, "--from", path).next_bytes(kAll), text);
    EXPECT_EQ(from("").next_bytes(kAll), "");
    EXPECT_EQ(from("").next(), std::nullopt);
}

TEST_F(InputTest, Bytes_come_one_by_one_or_as_many_as_are_wanted) {
    Input input = from(std::string("a\0\xff\n", 4) + "rest");
    EXPECT_EQ(input.next(), 'a');
    EXPECT_EQ(input.next(), '\0');
    EXPECT_EQ(input.next(), '\xff');
    EXPECT_EQ(input.next_bytes(3), "\nre");
    EXPECT_EQ(input.next_bytes(0), "");
    EXPECT_EQ(input.next_bytes(kAll), "st");
    EXPECT_EQ(input.next_bytes(kAll), "");
}

TEST_F(InputTest, It_is_called_stdin_or_by_its_path) {
    EXPECT_EQ(from("").name(), "stdin");
    const std::string path = file("a\nfile", "");
    EXPECT_THAT(Input::open(standard_input_, "--from", path).name(), HasSubstr("a\\nfile"));
}

TEST_F(InputTest, What_breaks_off_is_not_taken_for_the_end) {
    BrokenStream broken("{\"handlerType\":");
    Input input = Input::open(broken, "--from", "-");
    EXPECT_EQ(input.next_bytes(14), "{\"handlerType\"");
    EXPECT_EQ(input.next(), ':');
    const CliError one = error_of([&] { (void)input.next(); });
    EXPECT_EQ(one.code(), ExitCode::failed);
    EXPECT_STREQ(one.what(), "cannot read stdin: Input/output error");
    EXPECT_EQ(error_of([&] { (void)input.next_bytes(kAll); }).code(), ExitCode::failed);
}

TEST_F(InputTest, A_lack_of_memory_is_not_taken_for_the_end) {
    BrokenStream broken("some", std::make_exception_ptr(std::bad_alloc()));
    Input input = Input::open(broken, "--from", "-");
    EXPECT_THROW((void)input.next_bytes(kAll), std::bad_alloc);
    EXPECT_THROW((void)input.next(), std::bad_alloc);
}

TEST_F(InputTest, What_is_not_there_is_wrong_usage) {
    const CliError nothing =
        error_of([&] { (void)Input::open(standard_input_, "--payload", "/nowhere/file"); });
    EXPECT_EQ(nothing.code(), ExitCode::wrong_usage);
    EXPECT_STREQ(nothing.what(), "--payload: cannot read /nowhere/file: No such file or directory");
    const CliError directory =
        error_of([&] { (void)Input::open(standard_input_, "--from", directory_.path()); });
    EXPECT_EQ(directory.code(), ExitCode::wrong_usage);
    EXPECT_THAT(directory.what(), HasSubstr("is a directory: name a file"));
}

TEST_F(InputTest, What_can_be_read_again_begins_anew) {
    const std::string text = long_text();
    Input typed = Input::rereadable(from(text));
    Input stored = Input::rereadable(Input::open(standard_input_, "--from", file("numbers", text)));
    for (Input* input : {&typed, &stored}) {
        for (int round = 0; round < 3; ++round) {
            input->rewind();
            EXPECT_EQ(input->next(), '0');
            EXPECT_EQ(input->next_bytes(kAll), text.substr(1));
            EXPECT_EQ(input->next(), std::nullopt);
        }
    }
    EXPECT_EQ(typed.name(), "stdin");
}

TEST_F(InputTest, A_pipe_with_a_name_can_be_read_again_too) {
    const std::string pipe = directory_.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(pipe) << "a line\n"; });
    Input input = Input::rereadable(Input::open(standard_input_, "--from", pipe));
    EXPECT_EQ(input.next_bytes(kAll), "a line\n");
    input.rewind();
    EXPECT_EQ(input.next_bytes(kAll), "a line\n");
}

TEST_F(InputTest, What_breaks_off_while_it_is_kept_is_told) {
    BrokenStream broken(long_text());
    const CliError error =
        error_of([&] { (void)Input::rereadable(Input::open(broken, "--from", "-")); });
    EXPECT_EQ(error.code(), ExitCode::failed);
}

TEST_F(InputTest, Nothing_is_seen_in_the_folder_where_it_is_kept) {
    ::setenv("TMPDIR", directory_.path().c_str(), 1);
    Input input = Input::rereadable(from("secret"));
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
    EXPECT_EQ(input.next_bytes(kAll), "secret");
}

TEST_F(InputTest, A_folder_that_keeps_nothing_is_named) {
    ::setenv("TMPDIR", "/nowhere", 1);
    const CliError error = error_of([&] { (void)Input::rereadable(from("text")); });
    EXPECT_EQ(error.code(), ExitCode::failed);
    EXPECT_THAT(error.what(), HasSubstr("in /nowhere: No such file or directory"));
    EXPECT_THAT(error.what(), HasSubstr("name a file instead, or set TMPDIR"));
}

TEST_F(InputTest, A_pipe_into_which_nobody_writes_is_not_waited_for) {
    const std::string pipe = directory_.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::string text;
    EXPECT_THAT(
        read_bytes(pipe, kAll, text, std::chrono::milliseconds(10)), HasSubstr("nobody writes")
    );
}

TEST_F(InputTest, What_comes_through_a_pipe_is_read_to_its_end) {
    const std::string pipe = directory_.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::jthread writer([&] { std::ofstream(pipe) << long_text(); });
    std::string text;
    EXPECT_EQ(read_bytes(pipe, kAll, text, std::chrono::minutes(1)), "");
    EXPECT_TRUE(text == long_text());
    EXPECT_EQ(read_bytes("/nowhere/file", kAll, text), "No such file or directory");
}

std::string line_of(const std::vector<LogField>& fields, LogFormat format) {
    const std::vector<jobstrand::LogField> shown(fields.begin(), fields.end());
    return format_line(
        {.level = LogLevel::warn, .message = "job failed", .fields = shown},
        schema::parse_instant("2026-11-20T10:15:30.123Z").value(),
        format
    );
}

TEST(LogLine, Text_has_time_level_message_and_the_fields_by_name) {
    EXPECT_EQ(
        line_of({{"id", "17"}, {"reason", "no such file"}}, LogFormat::text),
        "2026-11-20T10:15:30.123Z WARN  job failed id=17 reason=\"no such file\""
    );
}

TEST(LogLine, Text_leaves_out_what_is_empty_and_json_has_it) {
    const std::vector<LogField> fields{{"trace_id", ""}, {"id", "17"}};
    EXPECT_TRUE(line_of(fields, LogFormat::text).ends_with("job failed id=17"));
    EXPECT_EQ(json::parse(line_of(fields, LogFormat::json)).at("trace_id"), "");
}

TEST(LogLine, A_hostile_value_cannot_forge_a_second_line) {
    const std::string forged = "x\n2026-11-20T10:15:30.123Z ERROR all is lost\x1b[2J\"";
    for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
        const std::string line = line_of({{"payload", forged}}, format);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    }
}

TEST(LogLine, Json_gives_every_value_back_as_it_was) {
    const std::string hostile = "a \"quoted\" \\ line\nbreak";
    const json line = json::parse(line_of({{"payload", hostile}}, LogFormat::json));
    EXPECT_EQ(line.at("time"), "2026-11-20T10:15:30.123Z");
    EXPECT_EQ(line.at("level"), "warn");
    EXPECT_EQ(line.at("message"), "job failed");
    EXPECT_EQ(line.at("payload"), hostile);
}

TEST(LogLine, Json_has_numbers_as_numbers) {
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const json line = json::parse(line_of(
        {{"jobs", 17}, {"skew_ms", least}, {"room", SIZE_MAX}, {"id", "17"}}, LogFormat::json
    ));
    EXPECT_EQ(line.at("jobs"), 17);
    EXPECT_EQ(line.at("skew_ms"), least);
    EXPECT_EQ(line.at("room"), SIZE_MAX);
    EXPECT_EQ(line.at("id"), "17") << "a text that looks like a number is a text";
}

TEST(LogLine, Text_writes_numbers_like_texts) {
    EXPECT_TRUE(line_of({{"jobs", 17}, {"id", "a"}}, LogFormat::text).ends_with(" jobs=17 id=a"));
}

TEST(LogLine, Json_survives_bytes_that_are_no_text) {
    const json line = json::parse(line_of(
        {{"payload",
          "a\xff"
          "b"}},
        LogFormat::json
    ));
    EXPECT_EQ(
        line.at("payload"),
        "a\xEF\xBF\xBD"
        "b"
    );
}

TEST(LogLine, A_field_named_like_a_part_of_the_line_does_not_replace_it) {
    const json line = json::parse(line_of({{"message", "other"}}, LogFormat::json));
    EXPECT_EQ(line.at("message"), "job failed");
    EXPECT_EQ(line.at("message_"), "other");
}

TEST(LogLine, Levels_and_formats_are_found_by_their_names) {
    for (const LogLevel level :
         {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
        EXPECT_EQ(log_level_named(name_of(level)), level);
    }
    EXPECT_EQ(log_level_named("loud"), std::nullopt);
    EXPECT_EQ(log_format_named("json"), LogFormat::json);
    EXPECT_EQ(log_format_named(""), std::nullopt);
}

TEST(EmbeddedLog, A_line_has_the_form_of_the_service) {
    const schema::TimePoint time = schema::parse_instant("2026-11-20T10:15:30.123Z").value();
    const std::vector<jobstrand::LogField> fields{
        {.name = "id", .value = "17", .is_number = true},
        {.name = "error", .value = "no \"answer\"\n"},
        {.name = "empty", .value = ""}};
    const std::string text = engine::text_of(
        {.level = jobstrand::LogLevel::warn, .message = "job failed", .fields = fields}, time
    );
    EXPECT_EQ(
        text, "2026-11-20T10:15:30.123Z WARN  job failed id=17 error=\"no \\\"answer\\\"\\n\""
    );
    EXPECT_EQ(
        text,
        format_line(
            {.level = LogLevel::warn, .message = "job failed", .fields = fields},
            time,
            LogFormat::text
        )
    );
}

std::string problem_of(std::string_view payload) {
    const auto parsed = parse_command_payload(payload);
    return parsed ? "fine" : parsed.error().message;
}

TEST(CommandPayload, Names_a_command_and_its_arguments) {
    const CommandPayload command =
        parse_command_payload(R"({"command": "report", "args": ["2026", "a b", ""]})").value();
    EXPECT_EQ(command.command, "report");
    EXPECT_THAT(command.arguments, ElementsAre("2026", "a b", ""));
    EXPECT_THAT(parse_command_payload(R"({"command":"x"})").value().arguments, IsEmpty());
}

TEST(CommandPayload, Other_members_are_the_programs_own_business) {
    const auto parsed =
        parse_command_payload(R"({"order": {"command": "no"}, "command": "x", "args": [], "n": 1})"
        );
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed.value(), (CommandPayload{.command = "x", .arguments = {}}));
}

TEST(CommandPayload, What_it_may_not_say_is_named) {
    const struct {
        std::string_view payload;
        std::string_view problem;
    } cases[] = {
        {"", "the payload of a command job"},
        {"report", "the payload of a command job"},
        {"[]", "the payload of a command job"},
        {"{}", "needs \"command\": \"NAME\""},
        {R"({"command": ""})", "needs \"command\": \"NAME\""},
        {R"({"Command": "x"})", "needs \"command\": \"NAME\""},
        {R"({"command": 7})", "command in the payload must be a string"},
        {R"({"command": "x", "args": "y"})", "args in the payload"},
        {R"({"command": "x", "args": [7]})", "args in the payload"},
        {R"({"command": "x", "args": ["a\u0000b"]})", "NUL"},
    };
    for (const auto& [payload, problem] : cases) {
        EXPECT_THAT(problem_of(payload), HasSubstr(std::string(problem))) << payload;
    }
}

TEST(OutputTail, Keeps_the_last_bytes_however_they_come) {
    const std::string output = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 36U}) {
        OutputTail tail(10);
        for (std::size_t i = 0; i < output.size(); i += piece) {
            tail.append(std::string_view(output).substr(i, piece));
        }
        EXPECT_EQ(tail.take(), "qrstuvwxyz") << piece;
    }
}

TEST(OutputTail, Keeps_all_of_what_is_short) {
    OutputTail tail(10);
    EXPECT_EQ(tail.take(), "");
    tail.append("0123456789");
    EXPECT_EQ(tail.take(), "0123456789");
    EXPECT_EQ(tail.take(), "") << "it was taken";
}

TEST(OutputTail, Keeps_to_its_limit_however_much_comes) {
    OutputTail tail(4096);
    const std::string piece(100'000, 'x');
    for (int i = 0; i < 100; ++i) {
        tail.append(piece);
    }
    tail.append("end");
    const std::string kept = tail.take();
    EXPECT_EQ(kept.size(), 4096U);
    EXPECT_TRUE(kept.ends_with("xend"));
}

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

std::pair<UniqueFd, UniqueFd> a_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST(UniqueFd, Closes_what_it_owns) {
    int fd = -1;
    {
        const auto [read, write] = a_pipe();
        fd = read.get();
        EXPECT_TRUE(read);
        EXPECT_TRUE(is_open(fd));
    }
    EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, Owns_nothing_by_itself_and_once_it_is_moved_from) {
    UniqueFd none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.get(), -1);
    none.reset();

    auto [read, write] = a_pipe();
    const int fd = read.get();
    UniqueFd moved(std::move(read));
    EXPECT_EQ(read.get(), -1);  // NOLINT(bugprone-use-after-move): what is left is its promise.
    EXPECT_EQ(moved.get(), fd);
    EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, Closes_what_it_had_when_it_gets_another) {
    auto [read, write] = a_pipe();
    const int first = read.get();
    const int second = write.get();
    read = std::move(write);
    EXPECT_FALSE(is_open(first));
    EXPECT_EQ(read.get(), second);
    UniqueFd& same = read;
    read = std::move(same);
    EXPECT_TRUE(is_open(second)) << "moving to itself keeps it";
}

class SupervisorTest : public testing::Test {
protected:
    [[nodiscard]] Supervisor with(Environment more) const {
        more["NOTIFY_SOCKET"] = path;
        return Supervisor(more);
    }

    const test::TemporaryDirectory directory;
    const std::string path = (directory.path() / "notify").string();
    const test::NotifySocket socket{path};
};

TEST_F(SupervisorTest, Hears_when_the_service_is_ready_lives_and_stops) {
    const Supervisor supervisor = with({});
    supervisor.notify_ready("running jobs");
    EXPECT_EQ(socket.next(), "READY=1\nSTATUS=running jobs");
    supervisor.notify_alive();
    EXPECT_EQ(socket.next(), "WATCHDOG=1");
    supervisor.notify_stopping();
    EXPECT_EQ(socket.next(), "STOPPING=1\nSTATUS=running jobs may finish");
    EXPECT_TRUE(socket.is_silent());
}

TEST_F(SupervisorTest, Is_told_twice_in_the_time_of_the_watchdog_that_the_service_lives) {
    EXPECT_EQ(with({{"WATCHDOG_USEC", "30000000"}}).alive_interval(), 15s);
    EXPECT_EQ(with({{"WATCHDOG_USEC", "1"}}).alive_interval(), 1ms);
    const std::string own = std::to_string(::getpid());
    EXPECT_EQ(with({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", own}}).alive_interval(), 1000ms);
}

TEST_F(SupervisorTest, Has_no_watchdog_unless_one_is_meant_for_this_process) {
    EXPECT_EQ(with({}).alive_interval(), std::nullopt);
    for (const char* const odd : {"", "0", "-5", "many", "1s", "99999999999999999999"}) {
        EXPECT_EQ(with({{"WATCHDOG_USEC", odd}}).alive_interval(), std::nullopt) << odd;
    }
    EXPECT_EQ(
        with({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", "1"}}).alive_interval(), std::nullopt
    );
}

TEST(Supervisor, That_is_not_there_or_does_not_listen_harms_nobody) {
    const Environment nobody{{"WATCHDOG_USEC", "2000000"}};
    EXPECT_EQ(Supervisor(nobody).alive_interval(), std::nullopt);
    for (const std::string& path :
         {std::string(), std::string("/nowhere/x"), std::string(500, 'x')}) {
        const Supervisor supervisor({{"NOTIFY_SOCKET", path}});
        supervisor.notify_ready("running jobs");
        supervisor.notify_alive();
        supervisor.notify_stopping();
    }
}

}  // namespace

}  // namespace jobstrand::cli
