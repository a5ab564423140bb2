#pragma once

#include "schema/log.hpp"
#include "schema/time.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/service/http/router.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <vector>

namespace jobstrand::service {

/// Runs what blocks, such as database calls, away from the thread that serves sockets. Who only
/// reads (GET, HEAD) has half as many threads of his own, so that however many read much, the
/// others are served.
///
/// Thread safety: safe.
class WorkPool final {
public:
    /// `waiting`: how many requests may wait for a thread, of either kind. The log must outlive it.
    WorkPool(std::size_t threads, std::size_t waiting, schema::Log& log);
    ~WorkPool();

    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    using BlockingHandler = std::function<Response(const Request&)>;

    /// A handler that runs here; 503 when too many wait. What it throws becomes a response: see
    /// response_to().
    [[nodiscard]] Handler wrap(BlockingHandler handler);

    /// The same for what is short and must not wait for those who read, though it reads itself.
    [[nodiscard]] Handler wrap_urgent(BlockingHandler handler);

    /// One that may also answer later, from any thread; it throws only if it does not answer.
    using LateHandler = std::function<void(const Request&, const Answer&)>;
    [[nodiscard]] Handler wrap_late(LateHandler handler);

    /// Runs it here, however many requests wait; what it throws is logged. After stop() it is
    /// forgotten.
    void post(std::function<void()> act);

    /// Whether stop() has been called: what takes long should end where it can.
    [[nodiscard]] bool is_stopping() const { return is_stopping_; }

    /// Ends what has begun, and forgets what waits: its answers are never given, and nothing of
    /// them is kept. Further requests are answered 503.
    void stop();

private:
    /// Threads, and the requests that they have or will have.
    struct IndexRange {
        IndexRange(std::size_t count, std::size_t waiting)
            : threads(count), most(count + waiting) {}

        boost::asio::thread_pool threads;
        const std::size_t most;
        std::atomic<std::size_t> held{0};
    };

    void
    run_in(IndexRange& range, const LateHandler& handler, Request request, const Answer& answer);
    void run(const LateHandler& handler, const Request& request, const Answer& answer);
    [[nodiscard]] bool put(IndexRange& range, std::function<void()> act);

    IndexRange work_;
    IndexRange reading_;
    schema::Log& log_;
    std::shared_mutex putting_;  ///< Who stops waits for those who put something there.
    std::atomic<bool> is_stopping_{false};
};

/// What many look at is worked out once for all of them. Whoever says `Cache-Control: max-age=N`
/// (RFC 9111, section 5.2.1.1) accepts an answer whose making began up to N seconds ago, for the
/// same target and scope; it has an `Age`. One that is there is given for half of that time, so
/// that who asks every N seconds gets a new one each time. Whoever accepts no age gets a new one,
/// and so do those who share from then on: nobody is shown an older state than he has seen.
///
/// An answer that takes long to make is made for nobody else meanwhile, for kLongest, and then
/// given for ten times as long as it took, kLongestOfSlow at most, whatever age is accepted, so
/// that viewers, however many they are, cost a tenth of a connection and of what the database does
/// for it: lists take a second and more beside rows that a backup keeps.
///
/// Thread safety: safe.
class SharedAnswers final {
public:
    /// Longer ages are taken for this one.
    static constexpr std::chrono::seconds kLongest{5};

    /// That an answer is given which took long to make.
    static constexpr int kTimesAsLong = 10;
    static constexpr std::chrono::seconds kLongestOfSlow{10};

    /// So many are kept, none of them larger.
    static constexpr std::size_t kMost = 100;
    static constexpr std::size_t kMostBytes = 256 * 1024;

    using Now = std::function<schema::SteadyPoint()>;

    explicit SharedAnswers(Now now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

    /// For GET alone, and answers that depend on nothing of the request but its target and scope,
    /// without a stream. It must outlive the handler.
    [[nodiscard]] Handler wrap(Handler handler);

    /// Those who wait are forgotten. Once nothing is being made any more.
    void stop();

private:
    using Key = std::tuple<
        std::string,  // The target.
        std::vector<std::string>,
        std::vector<std::string>,
        std::vector<std::string>,
        std::vector<std::string>>;

    struct Shared {
        schema::SteadyPoint began;
        schema::SteadyPoint::duration took{};         ///< Once it is made.
        std::shared_ptr<const Response> answer = {};  ///< nullptr: it is being made.
        std::vector<Answer> waiting = {};

        [[nodiscard]] bool is_young_enough(schema::SteadyPoint now, std::chrono::seconds age) const;
    };

    [[nodiscard]] static Key key_of(const Request& request);
    [[nodiscard]] std::shared_ptr<Shared> begin(const Key& key);
    void end(const Key& key, const std::shared_ptr<Shared>& shared, const Response& response);

    const Now now_;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<Shared>> shared_;  ///< Guarded by mutex_, with what they hold.
};

}  // namespace jobstrand::service
