#pragma once

#include "tools/settings/settings.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace jobstrand::cli {

/// A value as it stands in the file. A list of texts is read as the texts joined by commas.
using SettingValue = std::variant<bool, std::int64_t, double, std::string>;

/// What the value of a setting is, and what a bare number means.
enum class Unit { flag, text, count, milliseconds, seconds };

/// Another name of a setting, in another system's documentation. The unit may differ.
struct Alias {
    std::string_view name;
    Unit unit = Unit::count;
};

inline constexpr std::size_t kAliasesMax = 5;

/// Points to the field of Settings that a setting fills. std::monostate: the name is accepted, and
/// nothing depends on it; its meaning says why.
using SettingPlace = std::variant<
    std::monostate,
    bool& (*)(Settings&),
    int& (*)(Settings&),
    std::size_t& (*)(Settings&),
    std::int64_t& (*)(Settings&),
    schema::Duration& (*)(Settings&),
    std::string& (*)(Settings&),
    std::vector<std::string>& (*)(Settings&),
    schema::LogLevel& (*)(Settings&),
    schema::JobLogLevel& (*)(Settings&),
    schema::LockGranularity& (*)(Settings&),
    LogFormat& (*)(Settings&)>;

/// One row of the settings table.
struct Setting {
    std::string_view name;
    Unit unit = Unit::count;
    SettingPlace field;

    /// The legal range: milliseconds for durations, else numbers; length for texts.
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    std::string_view flowable = {};  ///< Value under preset flowable-6; empty: the default stays.
    std::string_view camunda = {};   ///< Value under preset camunda-7.
    std::string_view meaning;
    std::array<Alias, kAliasesMax> aliases = {};

    /// Says what is wrong with a text; empty: nothing. nullptr: any text will do.
    std::string (*problem_of_text)(std::string_view) = nullptr;
};

/// Puts a value into its field. Returns what the value must be when it is something else; then the
/// settings stay as they are.
[[nodiscard]] std::optional<std::string>
assign(Settings& settings, const Setting& setting, Unit unit, const SettingValue& value);

/// The value that a field has now, as it would be written in the file (without quotes): `8`,
/// `PT30S`, `true`. Empty for settings without a field.
[[nodiscard]] std::string text_of(const Settings& settings, const Setting& setting);

/// `8 (1 to 1000)`, `milliseconds or ISO 8601`...: for the documentation.
[[nodiscard]] std::string legal_values_of(const Setting& setting);

/// How the value was written, for messages.
[[nodiscard]] std::string text_of(const SettingValue& value);

}  // namespace jobstrand::cli
