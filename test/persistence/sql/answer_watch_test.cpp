#include "persistence/drivers/postgresql/postgresql_database.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

/// A socket and its other end.
class AnswerWatchTest : public testing::Test {
protected:
    AnswerWatchTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0); }
    ~AnswerWatchTest() override {
        ::close(sockets_[0]);
        ::close(sockets_[1]);
    }

    [[nodiscard]] bool is_shut_down_within(schema::Duration limit) const {
        pollfd other_end{.fd = sockets_[1], .events = POLLIN, .revents = 0};
        return ::poll(&other_end, 1, static_cast<int>(limit.count())) == 1;
    }

    int sockets_[2] = {-1, -1};
};

TEST_F(AnswerWatchTest, An_answer_that_does_not_come_ends_the_connection) {
    AnswerWatch watch(sockets_[0], 10ms);
    watch.begin();
    EXPECT_TRUE(is_shut_down_within(10s));
}

TEST_F(AnswerWatchTest, Answers_in_time_leave_it_alone_and_a_late_one_is_noticed_after_them) {
    AnswerWatch watch(sockets_[0], 20ms);
    for (int i = 0; i < 3; ++i) {
        watch.begin();
        watch.end();
        EXPECT_FALSE(is_shut_down_within(50ms));
    }
    watch.begin();
    EXPECT_TRUE(is_shut_down_within(10s));
}

}  // namespace

}  // namespace jobstrand::persistence
