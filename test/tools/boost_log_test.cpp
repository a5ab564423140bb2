#include "tools/process/boost_log.hpp"

#include "test/fixtures/signal.hpp"
#include "tools/process/queued_outlet.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using schema::LogLevel;
using testing::Gt;
using namespace std::chrono_literals;

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

/// A pipe, which is full as long as the test does not read it.
class QueuedOutletTest : public testing::Test {
protected:
    QueuedOutletTest() {
        std::signal(SIGPIPE, SIG_IGN);  // As the service does.
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    }

    ~QueuedOutletTest() override {
        close_reader();
        if (ends_[1] >= 0) {
            ::close(ends_[1]);
        }
    }

    [[nodiscard]] static QueuedOutlet::Settings room_for(std::size_t bytes) {
        return {.bytes = bytes, .told_drop = [](std::uint64_t lines) {
                    return fmt::format("{} were dropped", lines);
                }};
    }

    void close_reader() {
        if (ends_[0] >= 0) {
            ::close(ends_[0]);
            ends_[0] = -1;
        }
    }

    /// Reads until the text ends so; with an empty end, until nobody writes any more.
    [[nodiscard]] std::string read_until(const std::string& end) const {
        std::string all;
        std::array<char, 4096> piece{};
        while (end.empty() || !all.ends_with(end)) {
            const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
            if (count <= 0) {
                break;
            }
            all.append(piece.data(), static_cast<std::size_t>(count));
        }
        return all;
    }

    std::array<int, 2> ends_{};
};

constexpr int kMoreThanAPipeHolds = 10'000;

TEST_F(QueuedOutletTest, What_is_read_arrives_in_whole_lines_and_in_order) {
    QueuedOutlet outlet(ends_[1], room_for(1000));
    std::ostream stream(&outlet);
    stream << "one " << std::flush << "line\nand" << std::flush << " another\n" << std::flush;
    EXPECT_EQ(read_until("another\n"), "one line\nand another\n");
    EXPECT_EQ(outlet.dropped(), 0U);
}

TEST_F(QueuedOutletTest, Nobody_waits_for_a_reader_that_has_stalled_and_what_it_missed_is_told) {
    QueuedOutlet outlet(ends_[1], room_for(1000));
    std::ostream stream(&outlet);
    for (int i = 0; i < kMoreThanAPipeHolds; ++i) {
        stream << "a line of some length\n" << std::flush;
    }
    EXPECT_THAT(outlet.dropped().load(), Gt(0U));
    stream << "the last one\n" << std::flush;  // It finds room, or is among the dropped.
    std::string read;
    std::jthread reader([&] { read = read_until({}); });
    outlet.close(20s);
    ::close(std::exchange(ends_[1], -1));
    reader.join();
    std::istringstream lines(read);
    std::uint64_t told = 0;
    std::uint64_t arrived = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with(" were dropped")) {
            told += std::stoull(line);
        } else {
            ++arrived;
        }
    }
    EXPECT_EQ(told, outlet.dropped().load());
    EXPECT_EQ(arrived + told, kMoreThanAPipeHolds + 1U);
}

TEST_F(QueuedOutletTest, A_reader_that_has_stalled_for_good_does_not_keep_it_from_its_end) {
    const std::size_t room = 10'000'000;
    QueuedOutlet outlet(ends_[1], room_for(room));
    std::ostream stream(&outlet);
    stream << std::string(room - 1, 'x') << '\n' << std::flush;
    outlet.close(1ms);
    EXPECT_TRUE(test::eventually([&] { return outlet.dropped() == 1U; }));
    stream << "too late\n" << std::flush;
    EXPECT_EQ(outlet.dropped(), 2U);
}

TEST_F(QueuedOutletTest, What_waits_is_written_before_it_ends) {
    {
        QueuedOutlet outlet(ends_[1], room_for(1000));
        std::ostream stream(&outlet);
        stream << "the last words, without an end";
    }
    EXPECT_EQ(read_until("end"), "the last words, without an end");
}

TEST_F(QueuedOutletTest, Lines_of_many_threads_are_each_there_or_counted) {
    QueuedOutlet outlet(ends_[1], room_for(1000));
    close_reader();
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int line = 0; line < 100; ++line) {
                (void)outlet.sputn("a line\n", 7);
                (void)outlet.pubsync();
            }
        });
    }
    threads.clear();
    outlet.close(10s);
    EXPECT_EQ(outlet.dropped(), 400U) << "nobody reads";
}

TEST_F(QueuedOutletTest, A_stream_has_its_own_outlet_back_afterwards) {
    std::ostringstream stream;
    {
        const QueuedStream queued(stream, ends_[1], room_for(1000));
        stream << "to the pipe\n" << std::flush;
    }
    stream << "to itself";
    EXPECT_EQ(read_until("pipe\n"), "to the pipe\n");
    EXPECT_EQ(stream.str(), "to itself");
}

}  // namespace

}  // namespace jobstrand::cli
