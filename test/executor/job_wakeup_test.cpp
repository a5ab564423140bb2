#include "executor/loop/polling_loop.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <memory>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using test::eventually;

/// What several listeners hear, one after the other.
class Wire {
public:
    Wire() : socket_(::eventfd(0, EFD_NONBLOCK)) {}
    ~Wire() { ::close(socket_); }

    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    void announce() { say(1); }

    /// The listener loses its connection.
    void cut() {
        is_cut_ = true;
        say(1);
    }

    std::unique_ptr<persistence::JobListener> open();

    std::atomic<int> opened = 0;
    std::atomic<bool> refuses = false;

private:
    class Listener final : public persistence::JobListener {
    public:
        explicit Listener(Wire& wire) : wire_(wire) {}

        [[nodiscard]] int socket() const override { return wire_.socket_; }

        [[nodiscard]] bool take_announcements() override {
            eventfd_t count = 0;
            const bool is_any = ::eventfd_read(wire_.socket_, &count) == 0;
            if (wire_.is_cut_.exchange(false)) {
                throw DbError(DbErrorKind::connection_lost, "cut");
            }
            return is_any;
        }

    private:
        Wire& wire_;
    };

    void say(eventfd_t count) const { ::eventfd_write(socket_, count); }

    const int socket_;
    std::atomic<bool> is_cut_ = false;
};

std::unique_ptr<persistence::JobListener> Wire::open() {
    if (refuses) {
        throw DbError(DbErrorKind::unreachable, "refused");
    }
    ++opened;
    return std::make_unique<Listener>(*this);
}

class JobWakeupTest : public testing::Test {
protected:
    JobWakeupTest() {
        wake_ups_.sleepers.listener = [&loop = threads_.add_loop(wakeup_)] { loop.wake(); };
        wake_ups_.sleepers.acquisition = [this] { ++woken_; };
    }

    ~JobWakeupTest() override {
        wakeup_.close();
        threads_.stop();
    }

    /// From here on only what is new counts.
    void start_and_listen() {
        threads_.start();
        EXPECT_TRUE(eventually([&] { return wire_.opened == 1 && woken_ == 1; }));
        woken_ = 0;
    }

    Wire wire_;
    std::atomic<int> woken_ = 0;
    test::RecordingLog log_;
    ExecutorThreads threads_{log_};
    WakeUps wake_ups_;
    JobWakeup wakeup_{threads_.context(), [this] { return wire_.open(); }, wake_ups_};
};

TEST_F(JobWakeupTest, An_announcement_wakes_the_loops) {
    start_and_listen();
    for (int announcement = 1; announcement <= 3; ++announcement) {
        wire_.announce();
        EXPECT_TRUE(eventually([&] { return woken_ == announcement; }));
    }
}

TEST_F(JobWakeupTest, What_was_announced_before_somebody_listened_is_looked_for) {
    wire_.refuses = true;
    threads_.start();
    EXPECT_TRUE(eventually([&] { return log_.count(schema::LogLevel::debug, "pass failed") > 0; }));
    EXPECT_EQ(woken_, 0);
    wire_.refuses = false;
    EXPECT_TRUE(eventually([&] { return woken_ == 1; }));
}

TEST_F(JobWakeupTest, A_lost_connection_is_made_anew_and_what_was_missed_is_looked_for) {
    start_and_listen();
    wire_.cut();
    EXPECT_TRUE(eventually([&] { return wire_.opened == 2 && woken_ == 1; }));
    wire_.announce();
    EXPECT_TRUE(eventually([&] { return woken_ == 2; }));
}

TEST_F(JobWakeupTest, Ends_while_nothing_is_announced) {
    start_and_listen();
    wakeup_.close();
    threads_.stop();
    wire_.announce();
    EXPECT_EQ(woken_, 0);
}

}  // namespace

}  // namespace jobstrand::executor
