#pragma once

#include "schema/time.hpp"
#include "tools/text/json_text.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// The members of a JSON object that somebody else's client sends. null is as good as absent, and
/// what is not asked for is left alone.
///
/// What cannot be meant so is std::invalid_argument, whose text names the member. The text that is
/// read must outlive this.
class RequestMembers final {
public:
    explicit RequestMembers(std::string_view json);

    /// Of a value within JSON that was read: its members are not looked through a second time.
    [[nodiscard]] static RequestMembers of_value(std::string_view json);

    /// As it was written; nullopt: absent.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::string required_text(std::string_view name) const;

    [[nodiscard]] std::optional<std::int64_t>
    number(std::string_view name, std::int64_t least, std::int64_t most) const;

    /// ISO 8601, or milliseconds as a text.
    [[nodiscard]] std::optional<schema::Duration> duration(std::string_view name) const;

    /// Members of other names, null too.
    void refuse_others(std::span<const std::string_view> known) const;
    void refuse_others(std::initializer_list<std::string_view> known) const {
        refuse_others(std::span(known.begin(), known.size()));
    }

private:
    explicit RequestMembers(const schema::ParseResult<std::vector<cli::JsonMember>>& members);

    std::vector<cli::JsonMember> members_;
};

}  // namespace jobstrand::service
