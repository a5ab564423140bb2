#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/change_feed.hpp"
#include "tools/service/http/router.hpp"

namespace jobstrand::service {

/// What is watched: counts and what runs tell (`stats`, `backlog`, `runs`), nodes as `node ls` has
/// them, and what is done and was (`work`, `rates`). Each event has a bound. `api` must outlive it.
class EngineChanges final : public ChangeSource {
public:
    explicit EngineChanges(const ApiParts& api) : api_(api) {}

    [[nodiscard]] std::vector<WatchedPart> jobs(const Scope& scope, BacklogTrend& trend) override;
    [[nodiscard]] std::vector<WatchedNode> nodes() override;
    [[nodiscard]] std::vector<WatchedPart> work() override;

private:
    const ApiParts& api_;
};

/// A stream of events, as long as the client wants it.
[[nodiscard]] Handler watch_changes(ChangeFeed& feed);

}  // namespace jobstrand::service
