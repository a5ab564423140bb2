#pragma once

#include "schema/time.hpp"
#include "tools/access/scope.hpp"
#include "tools/service/http/router.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace jobstrand::service {

/// What many look at is worked out once for all of them. Whoever says `Cache-Control: max-age=N`
/// (RFC 9111, section 5.2.1.1) accepts an answer whose making began up to N seconds ago, for the
/// same target and scope; it has an `Age`. One that is there is given for half of that time, so
/// that who asks every N seconds gets a new one each time. Whoever accepts no age gets a new one,
/// and so do those who share from then on: nobody is shown an older state than he has seen.
///
/// Thread safety: safe.
class SharedAnswers final {
public:
    /// Longer ages are taken for this one.
    static constexpr std::chrono::seconds kLongest{5};

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
