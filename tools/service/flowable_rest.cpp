#include "tools/service/flowable_rest.hpp"

#include "schema/text/time_text.hpp"
#include "tools/output/record.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

using cli::number_field;
using cli::text_field;
using cli::text_or_null_field;
using cli::time_field;
using persistence::JobFilter;
using schema::Job;
using schema::JobPlace;

namespace {

[[nodiscard]] cli::Record record_of(const schema::Job& job, std::string_view origin) {
    return {
        text_field("id", job.id),
        text_field(
            "url", fmt::format("{}/external-job-api/jobs/{}", origin, percent_encoded(job.id))
        ),
        text_or_null_field("correlationId", job.correlation_id),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("scopeId", job.scope_id),
        text_or_null_field("subScopeId", job.sub_scope_id),
        text_or_null_field("scopeDefinitionId", job.scope_definition_id),
        text_or_null_field(
            "scopeType", job.scope_type == schema::kOurScope ? std::string() : job.scope_type
        ),
        text_or_null_field("elementId", job.element_id),
        text_or_null_field("elementName", job.element_name),
        number_field("retries", job.retries),
        text_or_null_field("exceptionMessage", job.exception_message),
        time_field("dueDate", job.due_date),
        time_field("createTime", job.create_time),
        text_field("tenantId", job.tenant_id),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
    };
}

}  // namespace

std::string origin_of(const Request& request) {
    return fmt::format("http://{}", request.header("Host"));
}

std::string flowable_json(const schema::Job& job, std::string_view origin) {
    return json_of(record_of(job, origin));
}

std::string flowable_json_with_variables(const schema::Job& job, std::string_view origin) {
    std::vector<std::string> variables;
    for (const Variable& variable : variables_of(job)) {
        variables.push_back(fmt::format(
            R"({{"name":{},"type":"{}","value":{}}})",
            cli::json_string(variable.name),
            type_of(variable.value),
            variable.value
        ));
    }
    cli::Record record = record_of(job, origin);
    const std::string list = fmt::format("[{}]", fmt::join(variables, ","));
    record.push_back({.name = "variables", .json = list, .text = list});
    return json_of(record);
}

std::string management_json(const schema::Job& job, const JobKind& kind, std::string_view origin) {
    const std::string url =
        fmt::format("{}{}/{}/{}", origin, kManagement, kind.path, percent_encoded(job.id));
    return json_of(cli::Record{
        text_field("id", job.id),
        text_field("url", url),
        text_or_null_field("correlationId", job.correlation_id),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("processInstanceUrl", ""),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("processDefinitionUrl", ""),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("executionUrl", ""),
        text_or_null_field("elementId", job.element_id),
        text_or_null_field("elementName", job.element_name),
        text_or_null_field("handlerType", job.handler_type),
        number_field("retries", job.retries),
        text_or_null_field("exceptionMessage", job.exception_message),
        time_field("dueDate", job.due_date),
        time_field("createTime", job.create_time),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
        text_field("tenantId", job.tenant_id),
    });
}

std::size_t number_in(std::string_view name, std::string_view text, std::size_t most) {
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > most) {
        throw std::invalid_argument(fmt::format("{} must be a whole number, 0 to {}", name, most));
    }
    return number;
}

namespace {

/// Jobs of one answer, and those that may be passed over before it: each of them is read.
constexpr std::size_t kSizeMax = 1000;
constexpr std::size_t kStartMax = 1'000'000;

constexpr std::array<std::pair<std::string_view, std::string Job::*>, 12> kTexts{{
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

constexpr std::array<std::pair<std::string_view, std::string Job::*>, 4> kWithout{{
    {"withoutProcessInstanceId", &Job::process_instance_id},
    {"withoutScopeType", &Job::scope_type},
    {"withoutScopeId", &Job::scope_id},
    {"withoutTenantId", &Job::tenant_id},
}};

const std::array<std::pair<std::string_view, schema::JobMember>, 7> kSorts{{
    {"id", &Job::id},
    {"dueDate", &Job::due_date},
    {"createTime", &Job::create_time},
    {"executionId", &Job::execution_id},
    {"processInstanceId", &Job::process_instance_id},
    {"retries", &Job::retries},
    {"tenantId", &Job::tenant_id},
}};

/// nullptr: it is none of them.
template <typename Pairs>
const typename Pairs::value_type* find(const Pairs& pairs, std::string_view name) {
    const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
    return found == pairs.end() ? nullptr : &*found;
}

[[nodiscard]] schema::TimePoint time_in(std::string_view name, std::string_view text) {
    const auto time = schema::parse_instant(text);
    if (!time) {
        throw std::invalid_argument(fmt::format("{} {}", name, time.error().message));
    }
    return time.value();
}

/// Of SQL's patterns those with % at either end, at both, or without any.
[[nodiscard]] persistence::FieldCondition tenant_like(std::string_view pattern) {
    const bool is_open = pattern.starts_with('%');
    std::string_view text = pattern.substr(is_open ? 1 : 0);
    const bool goes_on = text.ends_with('%');
    text.remove_suffix(goes_on ? 1 : 0);
    if (text.find_first_of("%_") != std::string_view::npos) {
        throw std::invalid_argument("tenantIdLike may have % at its ends only, and no _");
    }
    if (goes_on || (is_open && text.empty())) {
        return is_open ? persistence::contains(&Job::tenant_id, std::string(text))
                       : persistence::starts_with(&Job::tenant_id, std::string(text));
    }
    return is_open ? persistence::ends_with(&Job::tenant_id, std::string(text))
                   : persistence::equals(&Job::tenant_id, std::string(text));
}

[[nodiscard]] std::vector<std::string> words_in(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::string_view word = list.substr(0, list.find(','));
        words.emplace_back(word);
        list.remove_prefix(std::min(list.size(), word.size() + 1));
    }
    return words;
}

class QueryReader {
public:
    QueryReader(const JobKind& kind, schema::TimePoint now) : kind_(kind), now_(now) {}

    /// false: there is no such name.
    [[nodiscard]] bool read(std::string_view name, const std::string& text) {
        if (const auto field = name == "handlerType" ? &Job::handler_type : filtered_text(name)) {
            add(persistence::equals(field, text));
            return true;
        }
        return reads_value(name, text) || reads_page(name, text) || reads_word(name, text);
    }

    /// What was read. Throws where it cannot be meant so.
    [[nodiscard]] ListQuery result() const {
        if (timers_only_ && messages_only_) {
            throw std::invalid_argument("timersOnly and messagesOnly exclude each other");
        }
        return query_;
    }

private:
    void add(persistence::FieldCondition condition) {
        query_.filter.fields.push_back(std::move(condition));
    }

    [[nodiscard]] bool reads_value(std::string_view name, const std::string& text) {
        if (name == "handlerTypes") {
            add(persistence::is_one_of(&Job::handler_type, words_in(text)));
        } else if (name == "dueBefore") {
            add(persistence::is_before(&Job::due_date, time_in(name, text)));
        } else if (name == "dueAfter") {
            add(persistence::is_after(&Job::due_date, time_in(name, text)));
        } else if (name == "tenantIdLike") {
            add(tenant_like(text));
        } else {
            return false;
        }
        return true;
    }

    [[nodiscard]] bool reads_page(std::string_view name, const std::string& text) {
        if (name == "start") {
            query_.part.skipped = number_in(name, text, kStartMax);
        } else if (name == "size") {
            query_.part.limit = number_in(name, text, kSizeMax);
        } else if (name == "sort") {
            const auto* const by = find(kSorts, text);
            if (by == nullptr) {
                throw std::invalid_argument(
                    "sort must be id, dueDate, createTime, executionId, processInstanceId, "
                    "retries or tenantId"
                );
            }
            query_.sort = by->first;
            query_.part.by = by->second;
        } else if (name == "order") {
            if (text != "asc" && text != "desc") {
                throw std::invalid_argument("order must be asc or desc");
            }
            query_.part.is_descending = text == "desc";
        } else {
            return false;
        }
        return true;
    }

    /// A word restricts when it says true, and says nothing otherwise.
    [[nodiscard]] bool reads_word(std::string_view name, const std::string& text) {
        JobFilter ignored;
        const bool is_true = text == "true";
        JobFilter& filter = is_true ? query_.filter : ignored;
        if (const auto* const field = find(kWithout, name)) {
            filter.fields.push_back(persistence::is_absent(field->second));
        } else if (name == "withException") {
            filter.failed = true;
        } else if (name == "locked" || name == "unlocked") {
            filter.locked = name == "locked";
        } else if (name == "withRetriesLeft") {
            filter.fields.push_back(persistence::is_above(&Job::retries, 0));
        } else if (name == "noRetriesLeft") {
            filter.fields.push_back(persistence::is_not_above(&Job::retries, 0));
        } else if (name == "executable") {
            filter.fields.push_back(can_run());
        } else if (name == "timersOnly" || name == "messagesOnly") {
            const bool is_timer = name == "timersOnly";
            (is_timer ? timers_only_ : messages_only_) |= is_true;
            filter.fields.push_back(persistence::equals(&Job::type, is_timer ? "timer" : "message")
            );
        } else {
            return false;
        }
        return true;
    }

    [[nodiscard]] persistence::FieldCondition can_run() const {
        return kind_.place == JobPlace::timer
                   ? persistence::is_before(&Job::due_date, now_ + schema::Duration(1))
                   : persistence::is_above(&Job::retries, 0);
    }

    const JobKind& kind_;
    const schema::TimePoint now_;
    ListQuery query_;
    bool timers_only_ = false;
    bool messages_only_ = false;
};

}  // namespace

std::string Job::*filtered_text(std::string_view name) {
    const auto* const field = find(kTexts, name);
    return field == nullptr ? nullptr : field->second;
}

ListQuery management_query_of(const Request& request, const JobKind& kind, schema::TimePoint now) {
    QueryReader reader(kind, now);
    for (const auto& [name, text] : query_items_of(request)) {
        if (!reader.read(name, text)) {
            throw std::invalid_argument(fmt::format("{} is not known here", cli::printable(name)));
        }
    }
    return reader.result();
}

Response
list_response(const ListQuery& query, const std::vector<std::string>& jobs, std::int64_t total) {
    return {
        .status = 200,
        .body = fmt::format(
            R"({{"data":[{}],"total":{},"start":{},"sort":"{}","order":"{}","size":{}}})"
            "\n",
            fmt::join(jobs, ","),
            total,
            query.part.skipped,
            query.sort,
            query.part.is_descending ? "desc" : "asc",
            jobs.size()
        )};
}

}  // namespace jobstrand::service
