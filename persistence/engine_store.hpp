#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::persistence {

/// A lock of a process instance for an exclusive job of it.
struct InstanceClaim {
    std::string_view instance;
    std::string_view owner;
    schema::TimePoint now;
    schema::TimePoint until;
};

/// What somebody needs of a Flowable engine's own tables who has the engine's jobs run: the lock of
/// a process instance, in which LOCK_OWNER_ and LOCK_TIME_ of ACT_RU_EXECUTION keep the executors
/// and the external workers of all engines from its exclusive jobs. Among our own nodes the lock of
/// the group decides (ExecutorStore), so that one of ours takes over what another has left.
///
/// See Transactions for what holds for all roles.
class EngineStore {
public:
    virtual ~EngineStore() = default;

    /// Whether a Flowable engine has its tables in this database.
    [[nodiscard]] virtual bool has_engine() = 0;

    /// When the last of the engine's jobs was made, as its JVM has written that down, of some that
    /// are looked at; nullopt: it has none, or no engine is here.
    [[nodiscard]] virtual std::optional<schema::TimePoint> last_engine_job() = 0;

    /// false: somebody else has the instance, and has it still. An instance that is gone is
    /// nobody's.
    [[nodiscard]] virtual bool take_instance(const InstanceClaim& claim) = 0;

    /// Does nothing if the owner does not hold it.
    virtual void free_instance(std::string_view instance, std::string_view owner) = 0;
};

}  // namespace jobstrand::persistence
