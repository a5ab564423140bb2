#include "schema/expression/expression.hpp"

#include "schema/expression/evaluation.hpp"
#include "schema/expression/json_lookup.hpp"
#include "schema/expression/operators.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::schema {

namespace {

/// Bytes that the values of expressions may make of a text.
constexpr std::size_t kMostResult = 4000;

/// Members of `execution`.
constexpr std::array<std::pair<std::string_view, std::string Job::*>, 8> kExecution{{
    {"id", &Job::execution_id},
    {"processInstanceId", &Job::process_instance_id},
    {"rootProcessInstanceId", &Job::root_process_instance_id},
    {"processDefinitionId", &Job::process_definition_id},
    {"currentActivityId", &Job::element_id},
    {"currentActivityName", &Job::element_name},
    {"tenantId", &Job::tenant_id},
    {"handlerType", &Job::handler_type},
}};

std::optional<ExpressionValue>
find_in_execution(const Job& job, std::span<const std::string> path) {
    if (path.size() == 1) {
        return Composite{};
    }
    for (const auto& [name, member] : kExecution) {
        if (path.size() == 2 && path[1] == name) {
            const std::string& value = job.*member;
            return value.empty() ? ExpressionValue() : ExpressionValue(value);
        }
    }
    return std::nullopt;
}

std::optional<ExpressionValue> find_in_job(const Job& job, const std::vector<std::string>& path) {
    if (path.front() == "execution") {
        return find_in_execution(job, path);
    }
    if (job.payload.size() > kMostExpressionPayload) {
        throw std::invalid_argument("the payload is larger than what expressions look into");
    }
    if (job.payload.empty()) {
        return std::nullopt;
    }
    return find_in_json(job.payload, path);
}

/// One that reads, and with a job evaluates.
class Reading {
public:
    explicit Reading(const Job* job) {
        if (job != nullptr) {
            find_ = [job](const std::vector<std::string>& path) { return find_in_job(*job, path); };
        }
    }

    /// Of the expression at this position, which is set behind it. Throws ExpressionMistake.
    [[nodiscard]] ExpressionValue value_at(std::string_view text, std::size_t& position) const {
        Evaluation evaluation(text, position + 2, find_ ? &find_ : nullptr);
        ExpressionValue value = evaluation.run();
        position = evaluation.end();
        return value;
    }

    /// The text with their values. Throws ExpressionMistake.
    [[nodiscard]] std::string text_with_values(std::string_view text) const {
        if (text.size() > kMostExpressionBytes) {
            throw ExpressionMistake{
                "it has more than " + std::to_string(kMostExpressionBytes) + " bytes",
                kMostExpressionBytes};
        }
        std::string result;
        std::size_t position = 0;
        while (position < text.size()) {
            const std::size_t begin = std::min(text.find("${", position), text.size());
            result += text.substr(position, begin - position);
            position = begin;
            if (begin < text.size()) {
                append(result, value_at(text, position), begin);
            }
        }
        return result;
    }

private:
    void append(std::string& result, const ExpressionValue& value, std::size_t position) const {
        if (!find_) {
            return;
        }
        try {
            result += schema::text_of(value);
        } catch (const std::invalid_argument& mistake) {
            throw ExpressionMistake{mistake.what(), position};
        }
        if (result.size() > kMostResult) {
            throw ExpressionMistake{
                "it comes to more than " + std::to_string(kMostResult) + " bytes", position};
        }
    }

    FindValue find_;
};

std::optional<std::int64_t> whole_number_in(const ExpressionValue& value) {
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
        return *whole;
    }
    constexpr double kBeyond = 9'223'372'036'854'775'808.0;
    if (const auto* const real = std::get_if<double>(&value)) {
        const bool is_whole = *real == std::trunc(*real) && *real >= -kBeyond && *real < kBeyond;
        return is_whole ? std::optional(static_cast<std::int64_t>(*real)) : std::nullopt;
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        std::int64_t number = 0;
        const char* const end = text->data() + text->size();
        const auto [stop, error] = std::from_chars(text->data(), end, number);
        return error == std::errc() && stop == end && !text->empty() ? std::optional(number)
                                                                     : std::nullopt;
    }
    return std::nullopt;
}

template <typename Value, typename Run>
ParseResult<Value> result_of(const Run& run) {
    try {
        return run();
    } catch (const ExpressionMistake& mistake) {
        return ParseError{.message = mistake.message, .position = mistake.position};
    }
}

}  // namespace

std::optional<ParseError> mistake_in_expressions(std::string_view text) {
    const auto read =
        result_of<std::string>([&] { return Reading(nullptr).text_with_values(text); });
    return read ? std::nullopt : std::optional(read.error());
}

ParseResult<ExpressionValue> evaluate(std::string_view text, const Job& job) {
    return result_of<ExpressionValue>([&]() -> ParseResult<ExpressionValue> {
        if (!text.starts_with("${")) {
            return ParseError{.message = "expected ${", .position = 0};
        }
        if (text.size() > kMostExpressionBytes) {
            return ParseError{.message = "it is too long", .position = kMostExpressionBytes};
        }
        std::size_t position = 0;
        ExpressionValue value = Reading(&job).value_at(text, position);
        if (position != text.size()) {
            return ParseError{.message = "expected no more behind }", .position = position};
        }
        return value;
    });
}

ParseResult<std::string> evaluate_text(std::string_view text, const Job& job) {
    return result_of<std::string>([&] { return Reading(&job).text_with_values(text); });
}

ParseResult<std::int64_t> evaluate_number(std::string_view text, const Job& job) {
    const auto value = evaluate(text, job);
    if (!value) {
        return value.error();
    }
    if (const auto number = whole_number_in(value.value())) {
        return *number;
    }
    return ParseError{
        .message = "it comes to " + std::string(kind_of(value.value())) +
                   ", and must come to a whole number of 64 bits",
        .position = 0};
}

}  // namespace jobstrand::schema
