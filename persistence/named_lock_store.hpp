#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// The longest time that a named lock is taken or renewed for.
inline constexpr schema::Duration kLongestNamedLock = std::chrono::days(30);

/// A lock of an app's own, which one owner at a time holds until its end, by the database's clock.
struct NamedLock {
    std::string name = {};
    std::string owner = {};
    schema::TimePoint since{};
    schema::TimePoint until{};  ///< From then on anybody may take it.
    std::int64_t token = 0;     ///< Grows with each time that somebody takes the lock.

    bool operator==(const NamedLock&) const = default;
};

/// Who wants which lock, and for how long from now.
struct NamedLockClaim {
    std::string_view name;   ///< 1 to 64 characters.
    std::string_view owner;  ///< 1 to 255 characters; all that says who holds it.
    schema::Duration time{};
};

/// Locks by name, over all processes on the database. One that is over needs nobody to free it.
/// `now` is the database's time.
class NamedLockStore final {
public:
    explicit NamedLockStore(const StoreContext& context) : context_(context) {}

    /// Takes the lock if nobody holds it. Its owner keeps it with the same token, and for longer.
    /// Returns the lock as it is then: it may be another's. Throws std::invalid_argument for what
    /// no lock can have.
    NamedLock acquire(const NamedLockClaim& claim, schema::TimePoint now);

    /// nullopt: its owner does not hold it any more, and nothing was changed.
    std::optional<NamedLock> renew(const NamedLockClaim& claim, schema::TimePoint now);

    /// false: it was not its owner's.
    bool release(std::string_view name, std::string_view owner, schema::TimePoint now);

    /// Those that are held, by their names, behind one of them.
    [[nodiscard]] std::vector<NamedLock>
    list(std::string_view behind, std::size_t limit, schema::TimePoint now);

private:
    void forget_old(schema::TimePoint now);

    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
