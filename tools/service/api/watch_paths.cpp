#include "tools/service/api/watch_paths.hpp"

#include "deadletter/desk/node_desk.hpp"
#include "tools/records/news_json.hpp"
#include "tools/records/node_json.hpp"
#include "tools/service/api/operator_paths.hpp"
#include "tools/service/http/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

/// Of the runs that have told something last, so many are looked at, and so many told of.
constexpr std::size_t kLooked = 500;
constexpr std::size_t kTold = 50;

}  // namespace

std::string EngineChanges::stats(const Scope& scope) {
    return stats_text(api_, scope);
}

std::vector<WatchedNode> EngineChanges::nodes() {
    std::vector<WatchedNode> nodes;
    for (const persistence::Node& node : deadletter::NodeDesk(api_.engine.node_store()).list()) {
        nodes.push_back(
            {.name = node.identity.node,
             .state = std::string(name_of(node.state)),
             .json = json_of(record_of(cli::node_fields(), node))}
        );
    }
    return nodes;
}

std::string EngineChanges::runs(const Scope& scope) {
    std::vector<std::string> told;
    for (const persistence::ToldRun& run : api_.engine.run_news_store().run_news({}, kLooked)) {
        if (told.size() < kTold && scope.serves(run.handler_type) && scope.sees(run.tenant)) {
            told.push_back(cli::told_json(run));
        }
    }
    return fmt::format(R"({{"runs":[{}]}})", fmt::join(told, ","));
}

Handler watch_changes(ChangeFeed& feed) {
    return [&feed](Request request, const Answer& answer) {
        const auto stream = std::make_shared<ResponseStream>(std::move(request));
        if (!feed.add(stream)) {
            answer(come_again("too many watch already, or the service stops"));
            return;
        }
        // The header is nginx's: to gather what is meant to arrive at once would be in vain.
        answer(
            {.status = 200,
             .content_type = "text/event-stream",
             .headers = {{"X-Accel-Buffering", "no"}},
             .stream = stream}
        );
    };
}

}  // namespace jobstrand::service
