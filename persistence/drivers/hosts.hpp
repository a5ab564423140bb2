#pragma once

#include "persistence/sql/db_error.hpp"
#include "persistence/url/database_url.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace jobstrand::persistence {

/// The servers that a URL names, one of which is the right one at a time: the primary of a cluster,
/// or any of its members.
///
/// Thread safety: safe.
class Hosts final {
public:
    /// Among several, the right one takes writes, unless the URL says otherwise.
    explicit Hosts(const DatabaseUrl& url);

    /// What `connect` makes of the URL of the first host for which it does not throw DbError. It
    /// begins with the host that was right last, so that one that is down is asked once, and goes
    /// on in the order of the URL.
    ///
    /// Throws what came of the only host, or one DbError with the words for each of them: of their
    /// kind if it is the same for all, else unreachable.
    template <class Connect>
    [[nodiscard]] auto connect(const Connect& connect) -> decltype(connect(DatabaseUrl{})) {
        const std::size_t first = right_;
        std::vector<DbError> problems;
        for (std::size_t i = 0; i < urls_.size(); ++i) {
            const std::size_t host = (first + i) % urls_.size();
            // Defended catch: the next one may be the right one.
            try {
                auto made = connect(urls_[host]);
                right_ = host;
                return made;
            } catch (const DbError& error) {
                problems.push_back(error);
            }
        }
        throw joined(problems);
    }

private:
    [[nodiscard]] static DbError joined(const std::vector<DbError>& problems);

    std::vector<DatabaseUrl> urls_;  ///< Of one host each. Constant after construction.
    std::atomic<std::size_t> right_{0};
};

}  // namespace jobstrand::persistence
