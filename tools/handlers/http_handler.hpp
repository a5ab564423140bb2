#pragma once

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/calls/call_pool.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/settings/settings.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace jobstrand::cli {

/// Runs `http` jobs: POSTs the payload to the app that it names, one of the tables [targets.NAME]
/// and no other. What becomes of the job, result_of_call() says; where the app has accepted it and
/// will say so later, see wait_for_call_back(). No thread waits for the answer.
///
/// Thread safety: safe; called by all workers at once. What it depends on must outlive it.
class HttpHandler final {
public:
    struct Dependencies {
        const schema::Clock& clock;
        HttpClient& client;
        schema::Log& log;
        HandlerCounts* counts = nullptr;  ///< nullptr: nobody watches.
    };

    HttpHandler(Dependencies dependencies, const Targets& targets);

    void operator()(const std::shared_ptr<executor::AsyncRun>& run) const;

private:
    /// Or why it cannot be called from here.
    using Callable = std::variant<std::shared_ptr<CallPool>, std::string>;

    void call(const std::shared_ptr<CallPool>& app, const std::shared_ptr<executor::AsyncRun>& run)
        const;

    const Dependencies use_;
    const std::shared_ptr<PlaceFaults> faults_;
    std::map<std::string, Callable, std::less<>> apps_;
};

/// What keeps this process from calling an app; nullopt: nothing.
[[nodiscard]] std::optional<std::string>
obstacle_to_target(const std::string& name, const TargetSettings& target);

/// What keeps this process from calling configured apps, one sentence each; empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_targets(const Targets& targets);

}  // namespace jobstrand::cli
