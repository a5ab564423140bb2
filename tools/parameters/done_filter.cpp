#include "tools/parameters/done_filter.hpp"

#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::EndedRunFilter;
using persistence::FieldCondition;

[[nodiscard]] std::vector<std::string>*
list_for(EndedRunFilter& wanted, const schema::JobMember& member) {
    const auto is = [&](std::string schema::Job::*text) {
        return member == schema::JobMember(text);
    };
    if (is(&schema::Job::handler_type)) {
        return &wanted.handler_types;
    }
    if (is(&schema::Job::tenant_id)) {
        return &wanted.tenants;
    }
    return is(&schema::Job::process_instance_id) ? &wanted.instances : nullptr;
}

}  // namespace

std::optional<EndedRunFilter> done_filter_of(const persistence::JobFilter& filter) {
    EndedRunFilter wanted;
    persistence::JobFilter rest = filter;
    rest.fields.clear();
    if (!rest.is_empty()) {
        return std::nullopt;
    }
    for (const FieldCondition& condition : filter.fields) {
        std::vector<std::string>* const list = list_for(wanted, condition.member);
        if (list == nullptr) {
            return std::nullopt;
        }
        if (condition.match == FieldCondition::Match::equal) {
            list->push_back(std::get<std::string>(condition.value));
        } else if (condition.match == FieldCondition::Match::one_of) {
            *list = std::get<FieldCondition::Texts>(condition.value);
        } else {
            return std::nullopt;
        }
    }
    return wanted;
}

}  // namespace jobstrand::cli
