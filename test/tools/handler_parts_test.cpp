#include "tools/handlers/child_process.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/process/unique_fd.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace jobstrand::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

}  // namespace
}  // namespace jobstrand::cli
