#include "tools/service/api/watch_paths.hpp"

#include "deadletter/desk/node_desk.hpp"
#include "tools/records/node_json.hpp"
#include "tools/service/api/operator_paths.hpp"
#include "tools/service/http/problem.hpp"

#include <memory>
#include <utility>

namespace jobstrand::service {

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
