#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Whole instances and definitions can be suspended, and the turns of series, by their key or by
/// their group.
enum class SuspensionScope { instance, definition, series, timer_group };

struct Suspension {
    SuspensionScope scope = SuspensionScope::instance;
    std::string id;
    schema::TimePoint since;
};

/// One line of `instance ls`.
struct InstanceSummary {
    std::string id;
    bool suspended = false;
    std::map<schema::JobPlace, std::int64_t> jobs;  ///< Only places that hold some.
};

/// What an operator suspends and activates. See Transactions for what holds for all roles.
///
/// A series, or a group of them, is paused and resumed in the same way: by its key or name. A group
/// needs no series yet, and new series in a paused group start paused. A paused series keeps its
/// waiting turn in the suspended place; on resume its misfire instruction says what becomes of the
/// turns that were missed (R127, R144-R147).
class SuspensionDesk {
public:
    virtual ~SuspensionDesk() = default;

    /// Suspends an instance or definition: its free jobs in the timer, executable and external
    /// places move to the suspended place; running ones finish, and when they fail their next
    /// attempt waits there too. New jobs of it are stored suspended. Returns how many moved;
    /// suspending twice moves nothing. Of a series, only the turn that carries it on is suspended.
    virtual std::int64_t
    suspend(SuspensionScope scope, std::string_view id, schema::TimePoint now) = 0;

    /// The inverse; a job whose instance and definition are both suspended waits for both. Returns
    /// how many moved back.
    virtual std::int64_t
    activate(SuspensionScope scope, std::string_view id, schema::TimePoint now) = 0;

    [[nodiscard]] virtual std::vector<Suspension> suspensions(SuspensionScope scope) = 0;

    /// Instances that have jobs or are suspended, in id order, after `after`.
    [[nodiscard]] virtual std::vector<InstanceSummary>
    instances(std::string_view after, std::size_t limit) = 0;
};

}  // namespace jobstrand::persistence
