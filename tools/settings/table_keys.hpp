#pragma once

#include "schema/time.hpp"
#include "tools/settings/setting_entries.hpp"

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// The mistakes in one table [KIND.NAME], and how its keys are read.
class TableKeys final {
public:
    /// `kind`: such as `commands`.
    explicit TableKeys(std::string_view kind) : kind_(kind) {}

    /// The table that is being read from now on.
    void enter(std::string_view name) { name_ = name; }

    void add_problem(const toml::node& node, const std::string& text);

    /// What a key that no such table has should have been.
    void
    refuse(const std::string& key, const toml::node& node, std::span<const std::string_view> keys);

    /// Milliseconds, or an ISO 8601 duration, 1 ms to 24 h; nullopt, with a problem: anything else.
    [[nodiscard]] std::optional<schema::Duration>
    time_limit(std::string_view key, const toml::node& node);

    /// The same within other bounds.
    [[nodiscard]] std::optional<schema::Duration> duration(
        std::string_view key,
        const toml::node& node,
        schema::Duration least,
        schema::Duration most
    );

    /// nullopt, with a problem: it is not one.
    [[nodiscard]] std::optional<std::string>
    absolute_path(std::string_view key, const toml::node& node);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return problems_; }

private:
    const std::string kind_;
    std::string name_;
    std::vector<LineMessage> problems_;
};

/// Programs and headers get texts as C strings, which end at the first NUL.
[[nodiscard]] bool has_nul(std::string_view text);

}  // namespace jobstrand::cli
