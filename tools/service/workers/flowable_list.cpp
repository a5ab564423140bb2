#include "tools/service/workers/flowable_list.hpp"

#include "deadletter/desk/job_search.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/service/workers/flowable_job_json.hpp"
#include "tools/text/percent.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

using schema::Job;
using schema::JobPlace;

/// Jobs of one answer, and those that may be passed over before it: each of them is read.
constexpr std::size_t kSizeMax = 1000;
constexpr std::size_t kStartMax = 10'000;

constexpr std::array<std::pair<std::string_view, std::string Job::*>, 12> kFilters{{
    {"id", &Job::id},
    {"processInstanceId", &Job::process_instance_id},
    {"processDefinitionId", &Job::process_definition_id},
    {"executionId", &Job::execution_id},
    {"scopeId", &Job::scope_id},
    {"subScopeId", &Job::sub_scope_id},
    {"scopeDefinitionId", &Job::scope_definition_id},
    {"scopeType", &Job::scope_type},
    {"elementId", &Job::element_id},
    {"elementName", &Job::element_name},
    {"exceptionMessage", &Job::exception_message},
    {"tenantId", &Job::tenant_id},
}};

struct ListQuery {
    persistence::JobFilter filter = {};
    std::size_t start = 0;
    std::size_t size = 10;
};

[[nodiscard]] std::size_t
number_in(std::string_view name, std::string_view text, std::size_t most) {
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > most) {
        throw std::invalid_argument(fmt::format("{} must be a whole number, 0 to {}", name, most));
    }
    return number;
}

/// The list is in one order only; locks and failures are asked for by a word for each answer.
[[nodiscard]] bool is_read_as_word(ListQuery& query, std::string_view name, std::string_view text) {
    if (name == "locked" || name == "unlocked") {
        query.filter.locked = name == "locked";
        return text == "true";
    }
    if (name == "withException") {
        query.filter.failed = true;
        return text == "true";
    }
    return (name == "sort" && text == "id") || (name == "order" && text == "asc");
}

void read(ListQuery& query, const std::string& name, const std::string& text) {
    const auto found =
        std::ranges::find(kFilters, name, &std::pair<std::string_view, std::string Job::*>::first);
    if (found != kFilters.end()) {
        query.filter.fields.push_back(persistence::equals(found->second, text));
    } else if (name == "start") {
        query.start = number_in(name, text, kStartMax);
    } else if (name == "size") {
        query.size = number_in(name, text, kSizeMax);
    } else if (!is_read_as_word(query, name, text)) {
        throw std::invalid_argument(
            fmt::format("{}={} is not supported here", cli::printable(name), cli::printable(text))
        );
    }
}

[[nodiscard]] ListQuery query_of(const Request& request) {
    const auto items = query_items(request.query());
    if (!items) {
        throw std::invalid_argument("the query has a bad escape, or is not UTF-8");
    }
    ListQuery query;
    for (const auto& [name, text] : *items) {
        read(query, name, text);
    }
    return query;
}

}  // namespace

Response list_flowable_jobs(const ApiParts& api, const Request& request) {
    const ListQuery query = query_of(request);
    const std::vector<JobPlace> places{JobPlace::external_worker};
    NarrowedStore store(api.engine.store(), request.scope);
    const deadletter::JobSearch search(store);
    const auto page = search.list(
        {.places = places,
         .filter = query.filter,
         .limit = std::max<std::size_t>(query.start + query.size, 1)}
    );
    const std::string origin = origin_of(request.header("Host"));
    std::vector<std::string> jobs;
    for (std::size_t i = query.start; i < page.items.size() && jobs.size() < query.size; ++i) {
        jobs.push_back(flowable_json(page.items[i].job, origin));
    }
    return {
        .status = 200,
        .body = fmt::format(
            R"({{"data":[{}],"total":{},"start":{},"sort":"id","order":"asc","size":{}}})"
            "\n",
            fmt::join(jobs, ","),
            search.count(places, deadletter::JobSelection::matching(query.filter)),
            query.start,
            jobs.size()
        )};
}

}  // namespace jobstrand::service
