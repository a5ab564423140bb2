#include "tools/service/workers/request_members.hpp"

#include "tools/text/member_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace jobstrand::service {

namespace {

/// No request has more members than that.
constexpr std::size_t kMostRequestMembers = 1000;

/// `problem` stands behind the member's name; empty: there is none.
void refuse_member(std::string_view name, const std::string& problem) {
    if (!problem.empty()) {
        throw std::invalid_argument(fmt::format("{} {}", name, problem));
    }
}

}  // namespace

RequestMembers::RequestMembers(std::string_view json)
    : RequestMembers(cli::members_of(json, kMostRequestMembers)) {}

RequestMembers RequestMembers::of_value(std::string_view json) {
    return RequestMembers(cli::members_of_value(json, kMostRequestMembers));
}

RequestMembers::RequestMembers(const schema::ParseResult<std::vector<cli::JsonMember>>& members) {
    refuse_member("the body", members ? "" : members.error().message);
    members_ = members.value();
}

std::optional<std::string_view> RequestMembers::value(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &cli::JsonMember::name);
    const bool is_there = found != members_.end() && found->value != "null";
    return is_there ? std::optional(found->value) : std::nullopt;
}

std::optional<std::string> RequestMembers::text(std::string_view name) const {
    const auto written = value(name);
    std::optional<std::string> read;
    if (written) {
        refuse_member(name, cli::read_text(*written, read.emplace()));
    }
    return read;
}

std::string RequestMembers::required_text(std::string_view name) const {
    std::string read = text(name).value_or("");
    refuse_member(name, read.empty() ? "is required" : "");
    return read;
}

std::optional<std::int64_t>
RequestMembers::number(std::string_view name, std::int64_t least, std::int64_t most) const {
    const auto written = value(name);
    std::optional<std::int64_t> read;
    if (written) {
        refuse_member(name, cli::read_whole_number(*written, least, most, read.emplace()));
    }
    return read;
}

std::optional<schema::Duration> RequestMembers::duration(std::string_view name) const {
    const auto written = value(name);
    std::optional<schema::Duration> read;
    if (written) {
        refuse_member(name, cli::read_duration(*written, read));
    }
    return read;
}

void RequestMembers::refuse_others(std::span<const std::string_view> known) const {
    for (const cli::JsonMember& member : members_) {
        if (std::ranges::find(known, member.name) == known.end()) {
            throw std::invalid_argument(fmt::format(
                "there is no {}, only {}", cli::printable(member.name), fmt::join(known, ", ")
            ));
        }
    }
}

}  // namespace jobstrand::service
