#include "tools/process/boost_log.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::cli {
namespace {

using schema::LogLevel;

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(BoostLog, Lines_below_the_level_are_left_out) {
    std::ostringstream out;
    BoostLog log(out, {.level = LogLevel::warn});
    log.write(LogLevel::info, "too quiet", {});
    log.write(LogLevel::warn, "loud enough", {{"id", "17"}});
    EXPECT_FALSE(log.enabled(LogLevel::info));
    EXPECT_TRUE(log.enabled(LogLevel::error));
    EXPECT_EQ(lines_in(out.str()), 1U);
    EXPECT_NE(out.str().find("WARN  loud enough id=17\n"), std::string::npos) << out.str();
}

TEST(BoostLog, Two_logs_in_one_process_do_not_mix) {
    std::ostringstream first_out;
    std::ostringstream second_out;
    BoostLog first(first_out, {});
    {
        BoostLog second(second_out, {.format = LogFormat::json});
        first.write(LogLevel::info, "for the first", {});
        second.write(LogLevel::info, "for the second", {});
    }
    first.write(LogLevel::info, "still there", {});
    EXPECT_EQ(lines_in(first_out.str()), 2U);
    EXPECT_EQ(lines_in(second_out.str()), 1U);
    EXPECT_EQ(second_out.str().find("first"), std::string::npos);
}

TEST(BoostLog, Lines_of_many_threads_stay_whole) {
    constexpr int kThreads = 4;
    constexpr int kLines = 200;
    std::ostringstream out;
    {
        BoostLog log(out, {});
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&log] {
                for (int line = 0; line < kLines; ++line) {
                    log.write(LogLevel::info, "a line of some length", {{"key", "a value"}});
                }
            });
        }
    }
    std::istringstream lines(out.str());
    int whole = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(line.ends_with(" INFO  a line of some length key=\"a value\"")) << line;
        ++whole;
    }
    EXPECT_EQ(whole, kThreads * kLines);
}

}  // namespace
}  // namespace jobstrand::cli
