#pragma once

#include "schema/job.hpp"
#include "schema/job_fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace jobstrand::schema {

/// A new value for one member of a job.
template <typename Value>
struct MemberChange {
    Value Job::*member;
    Value value;

    bool operator==(const MemberChange&) const = default;
};

using JobChange = std::variant<
    MemberChange<std::string>,
    MemberChange<int>,
    MemberChange<std::int64_t>,
    MemberChange<bool>,
    MemberChange<std::optional<TimePoint>>>;

/// `set_to(&Job::retries, 5)`.
template <typename Value>
[[nodiscard]] JobChange set_to(Value Job::*member, std::type_identity_t<Value> value) {
    return MemberChange<Value>{member, std::move(value)};
}

[[nodiscard]] inline JobMember member_of(const JobChange& change) {
    return std::visit([](const auto& one) { return JobMember(one.member); }, change);
}

inline void carry_out(const JobChange& change, Job& job) {
    std::visit([&job](const auto& one) { job.*one.member = one.value; }, change);
}

}  // namespace jobstrand::schema
