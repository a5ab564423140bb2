#include "persistence/drivers/hosts.hpp"

#include "persistence/url/url_options.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::persistence {

Hosts::Hosts(const DatabaseUrl& url) : urls_{url} {
    if (url.further_hosts.empty()) {
        return;
    }
    urls_.front().further_hosts.clear();
    urls_.front().options.try_emplace(std::string(kTargetOption), kReadWrite);
    for (const ServerPlace& place : url.further_hosts) {
        urls_.push_back(urls_.front());
        urls_.back().host = place.host;
        urls_.back().port = place.port;
    }
}

DbError Hosts::joined(const std::vector<DbError>& problems) {
    const DbError& first = problems.front();
    if (problems.size() == 1) {
        return first;
    }
    std::string words;
    for (const DbError& problem : problems) {
        words += (words.empty() ? "" : "; ");
        words += problem.what();
    }
    const bool is_one_kind = std::ranges::all_of(problems, [&first](const DbError& problem) {
        return problem.kind() == first.kind();
    });
    return {is_one_kind ? first.kind() : DbErrorKind::unreachable, words};
}

}  // namespace jobstrand::persistence
