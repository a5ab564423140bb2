#pragma once

#include "schema/concurrency.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// What goes on in a group of jobs that a limit meets.
struct GroupUse {
    std::string group;
    std::int64_t running = 0;
    std::int64_t waiting = 0;

    bool operator==(const GroupUse&) const = default;
};

/// What runs now of a group that a limit meets, and what is used up of its rate.
struct GroupRuns {
    std::map<std::string, std::int64_t> running = {};  ///< By lock owner.
    std::optional<schema::UsedUntil> used_until = {};

    bool operator==(const GroupRuns&) const = default;
};

/// Limits, for operators. Nodes go by what they have last read, which they do with every renewal of
/// their lease.
class LimitStore final {
public:
    explicit LimitStore(const StoreContext& context) : context_(context) {}

    /// Returns all limits in the order of their names.
    [[nodiscard]] std::vector<schema::JobLimit> limits();

    /// Sets a limit, or changes its numbers. Jobs that run already are not counted against a new
    /// one.
    void set_limit(const schema::JobLimit& limit);

    /// What waits for it runs when the nodes have heard of it. false: there is none.
    [[nodiscard]] bool remove_limit(const schema::JobLimit& limit);

    /// The first 10,000 groups in which anything runs or waits, in the order of their names. It
    /// counts, so it is for people.
    [[nodiscard]] std::vector<GroupUse> group_uses();

    /// Returns the runs of one group. Reads no more rows than the limit has allowed.
    [[nodiscard]] GroupRuns runs_of_group(std::string_view group);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
