#include "tools/handlers/operator_jobs.hpp"

#include "deadletter/batch_admin.hpp"
#include "deadletter/bulk_change.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace jobstrand::cli {

schema::Job batch_job(std::int64_t priority) {
    schema::Job job;
    job.handler_type = kBatchType;
    job.priority = priority;
    return job;
}

executor::JobHandler batch_handler(persistence::BatchStore& store, const schema::Clock& clock) {
    return [&store, &clock](const executor::JobContext& context) -> executor::HandlerResult {
        deadletter::BatchAdmin batches(store, clock);
        schema::Duration pause{0};
        const auto goes_on = [&](const deadletter::BulkCounts& /*so_far*/) {
            return pause == schema::Duration{0} && !context.stop.stop_requested();
        };
        const auto batch = batches.carry_out(
            context.job.id, {.on_page = goes_on}, [&](schema::Duration time) { pause = time; }
        );
        if (!batch || batch->state != schema::BatchState::running) {
            return executor::Succeeded{};
        }
        return pause > schema::Duration{0} ? executor::Interrupted{.wait = pause}
                                           : executor::Interrupted{};
    };
}

namespace {

using persistence::SuspensionScope;

/// What can be suspended at a date, and its word in a payload.
constexpr std::array<std::pair<SuspensionScope, std::string_view>, 6> kScopes{{
    {SuspensionScope::instance, "instance"},
    {SuspensionScope::definition, "definition"},
    {SuspensionScope::job_definition, "jobDefinition"},
    {SuspensionScope::tenant, "tenant"},
    {SuspensionScope::new_of_definition, "newOfDefinition"},
    {SuspensionScope::new_of_job_definition, "newOfJobDefinition"},
}};

[[nodiscard]] std::string_view word_of(SuspensionScope scope) {
    const auto* const found =
        std::ranges::find(kScopes, scope, [](const auto& row) { return row.first; });
    return found == kScopes.end() ? std::string_view() : found->second;
}

/// Reads one member. What is wrong with it; empty: nothing.
[[nodiscard]] std::string read_member(const JsonMember& member, SuspensionOrder& order) {
    std::string text;
    if (std::string wrong = read_text(member.value, text); !wrong.empty()) {
        return wrong;
    }
    if (member.name == "id") {
        order.id = std::move(text);
        return order.id.empty() ? "must not be empty" : "";
    }
    if (member.name == "action") {
        order.activate = text == "activate";
        return order.activate || text == "suspend" ? "" : "must be suspend or activate";
    }
    if (member.name == "scope") {
        const auto* const found =
            std::ranges::find(kScopes, text, [](const auto& row) { return row.second; });
        if (found == kScopes.end()) {
            return "is not known";
        }
        order.scope = found->first;
        return "";
    }
    return "is not known";
}

}  // namespace

std::string payload_of(const SuspensionOrder& order) {
    return fmt::format(
        R"({{"action":"{}","scope":"{}","id":{}}})",
        order.activate ? "activate" : "suspend",
        word_of(order.scope),
        json_string(order.id)
    );
}

schema::ParseResult<SuspensionOrder> order_in(std::string_view payload) {
    const auto members = members_of(payload);
    if (!members) {
        return members.error();
    }
    SuspensionOrder order;
    for (const JsonMember& member : members.value()) {
        if (const std::string wrong = read_member(member, order); !wrong.empty()) {
            return schema::ParseError{.message = member.name + " " + wrong};
        }
    }
    const bool is_complete = members.value().size() == 3 && !order.id.empty();
    if (!is_complete) {
        return schema::ParseError{.message = "there must be action, scope and id"};
    }
    return order;
}

executor::JobHandler
suspension_handler(persistence::OperatorStore& store, const schema::Clock& clock) {
    return [&store, &clock](const executor::JobContext& context) -> executor::HandlerResult {
        const auto order = order_in(context.job.payload);
        if (!order) {
            return executor::Failed{.message = order.error().message, .retryable = false};
        }
        const auto& [activate, scope, id] = order.value();
        if (store.is_of_engine(scope, id)) {
            return executor::Failed{
                .message =
                    id + " is one of Flowable's, whose engine alone suspends and activates it",
                .retryable = false};
        }
        if (activate) {
            store.activate(scope, id, clock.now());
            return executor::Succeeded{};
        }
        deadletter::BulkRest rest(clock, schema::sleep_for);
        bool was_stopped = false;
        store.suspend(scope, id, clock.now(), [&](std::int64_t /*moved*/) {
            rest.take();
            was_stopped = context.stop.stop_requested();
            return !was_stopped;
        });
        if (was_stopped) {
            return executor::Interrupted{};
        }
        return executor::Succeeded{};
    };
}

}  // namespace jobstrand::cli
