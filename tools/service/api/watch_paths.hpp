#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/change_feed.hpp"
#include "tools/service/http/router.hpp"

namespace jobstrand::service {

/// What is watched: what `stats` and `node ls` print, and what runs tell. `api` must outlive it.
class EngineChanges final : public ChangeSource {
public:
    explicit EngineChanges(const ApiParts& api) : api_(api) {}

    [[nodiscard]] std::string stats(const Scope& scope) override;
    [[nodiscard]] std::vector<WatchedNode> nodes() override;
    [[nodiscard]] std::string runs(const Scope& scope) override;

private:
    const ApiParts& api_;
};

/// A stream of events, as long as the client wants it.
[[nodiscard]] Handler watch_changes(ChangeFeed& feed);

}  // namespace jobstrand::service
