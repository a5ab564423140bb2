#include "tools/surface/verb_call.hpp"

#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace jobstrand::cli {

namespace {

using schema::ParseError;
using schema::ParseResult;

constexpr std::int64_t kColumns = 10'000;

/// What one call may have: more would take many times the memory of its text.
constexpr std::size_t kMembersOfCall = 100;
constexpr std::size_t kFilesOfCall = 1000;
constexpr std::size_t kArgumentsOfCall = 10'000;

[[nodiscard]] std::string read_texts(std::string_view json, std::vector<std::string>& texts) {
    const auto read = strings_of(json, kArgumentsOfCall);
    if (!read) {
        return read.error().message;
    }
    if (read.value().size() > kArgumentsOfCall) {
        return fmt::format("has more than {} items", kArgumentsOfCall);
    }
    texts = read.value();
    return {};
}

[[nodiscard]] std::string
read_files(std::string_view json, std::map<std::string, std::string>& files) {
    const auto members = members_of(json, kFilesOfCall);
    if (!members) {
        return members.error().message;
    }
    for (const JsonMember& member : members.value()) {
        if (std::string wrong = read_text(member.value, files[member.name]); !wrong.empty()) {
            return "of " + printable(member.name) + " " + wrong;
        }
    }
    return {};
}

[[nodiscard]] std::string read_columns(std::string_view json, std::optional<std::size_t>& columns) {
    std::int64_t number = 0;
    std::string wrong = read_whole_number(json, 1, kColumns, number);
    columns = static_cast<std::size_t>(number);
    return wrong;
}

/// What is wrong with it; empty: nothing.
[[nodiscard]] std::string read_member(const JsonMember& member, VerbCall& call) {
    const std::string_view name = member.name;
    if (name == "arguments") {
        return read_texts(member.value, call.arguments);
    }
    if (name == "input") {
        return read_text(member.value, call.input);
    }
    if (name == "files") {
        return read_files(member.value, call.files);
    }
    if (name == "user") {
        return read_text(member.value, call.user);
    }
    if (name == "columns") {
        return read_columns(member.value, call.columns);
    }
    if (name == "coloured") {
        return read_flag(member.value, call.is_coloured);
    }
    if (name == "colouredErrors") {
        return read_flag(member.value, call.are_errors_coloured);
    }
    if (name == "canBeAsked") {
        return read_flag(member.value, call.can_be_asked);
    }
    return "is not known";
}

[[nodiscard]] std::string read_member(const JsonMember& member, VerbAnswer& answer) {
    const std::string_view name = member.name;
    if (name == "exitCode") {
        std::int64_t code = 0;
        constexpr auto most = static_cast<std::int64_t>(ExitCode::check_found);
        std::string wrong = read_whole_number(member.value, 0, most, code);
        answer.exit_code = static_cast<ExitCode>(code);
        return wrong;
    }
    if (name == "output") {
        return read_text(member.value, answer.output);
    }
    if (name == "errors") {
        return read_text(member.value, answer.errors);
    }
    if (name == "question") {
        return read_text(member.value, answer.question);
    }
    return {};
}

template <typename Message>
[[nodiscard]] ParseResult<Message> parsed(std::string_view json) {
    const auto members = members_of(json, kMembersOfCall);
    if (!members) {
        return ParseError{members.error().message};
    }
    Message message;
    for (const JsonMember& member : members.value()) {
        if (const std::string wrong = read_member(member, message); !wrong.empty()) {
            return ParseError{fmt::format("{} {}", printable(member.name), wrong)};
        }
    }
    return message;
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& texts) {
    std::vector<std::string> items;
    std::ranges::transform(texts, std::back_inserter(items), json_string);
    return fmt::format("[{}]", fmt::join(items, ","));
}

}  // namespace

std::string verb_path(std::string_view words) {
    std::string path = "/api/v1/verbs/" + std::string(words);
    std::ranges::replace(path, ' ', '/');
    return path;
}

std::string json_of(const VerbCall& call) {
    std::vector<std::string> files;
    for (const auto& [name, content] : call.files) {
        files.push_back(json_string(name) + ":" + json_string(content));
    }
    std::string json = fmt::format(
        R"({{"arguments":{},"input":{},"files":{{{}}},"user":{})",
        list_of(call.arguments),
        json_string(call.input),
        fmt::join(files, ","),
        json_string(call.user)
    );
    if (call.columns) {
        json += fmt::format(R"(,"columns":{})", *call.columns);
    }
    return json + fmt::format(
                      R"(,"coloured":{},"colouredErrors":{},"canBeAsked":{}}})",
                      call.is_coloured,
                      call.are_errors_coloured,
                      call.can_be_asked
                  );
}

std::string json_of(const VerbAnswer& answer) {
    std::string json = fmt::format(
        R"({{"exitCode":{},"output":{},"errors":{})",
        static_cast<int>(answer.exit_code),
        json_string(answer.output),
        json_string(answer.errors)
    );
    if (!answer.question.empty()) {
        json += R"(,"question":)" + json_string(answer.question);
    }
    return json + "}\n";
}

ParseResult<VerbCall> parse_verb_call(std::string_view json) {
    return parsed<VerbCall>(json);
}

ParseResult<VerbAnswer> parse_verb_answer(std::string_view json) {
    return parsed<VerbAnswer>(json);
}

}  // namespace jobstrand::cli
