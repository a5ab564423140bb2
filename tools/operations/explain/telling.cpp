#include "tools/operations/explain/telling.hpp"

#include "schema/lock_owner.hpp"
#include "schema/text/iso8601.hpp"
#include "tools/text/relative_time.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

/// Names that are told of a list.
constexpr std::size_t kNamesTold = 8;

}  // namespace

std::string Telling::id() const {
    return quoted_if_needed(facts.id);
}

std::string Telling::when(const std::optional<schema::TimePoint>& time) const {
    return time ? fmt::format(
                      "{} ({})", schema::format_instant(*time), relative_time(*time, facts.now)
                  )
                : "an unknown time";
}

std::string list_of(const std::vector<std::string>& names) {
    const std::size_t told = std::min(names.size(), kNamesTold);
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(told)
    );
    return names.size() > told
               ? fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - told)
               : fmt::format("{}", fmt::join(first, ", "));
}

std::string holder_name(const std::string& lock_owner) {
    const auto address = schema::node_of(lock_owner);
    return address ? fmt::format("{}, process {}", address->host, address->process)
                   : quoted_if_needed(lock_owner);
}

std::vector<std::string> names_of(const deadletter::NodeView::List& nodes) {
    std::vector<std::string> names;
    for (const persistence::Node* node : nodes) {
        names.push_back(quoted_if_needed(node->identity.node));
    }
    return names;
}

}  // namespace jobstrand::cli
