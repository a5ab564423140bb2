#include "tools/process/input.hpp"

#include "test/fixtures/broken_stream.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/process/exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace jobstrand::cli {
namespace {

using test::BrokenStream;
using testing::HasSubstr;

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

}  // namespace
}  // namespace jobstrand::cli
