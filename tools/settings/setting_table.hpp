#pragma once

#include "schema/overloaded.hpp"
#include "tools/settings/settings.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jobstrand::cli {

/// A value as it stands in the file. A list of texts is read as the texts joined by commas.
using SettingValue = std::variant<bool, std::int64_t, double, std::string>;

/// What the value of a setting is, and what a bare number means.
enum class Unit { flag, text, count, milliseconds, seconds };

/// Another name of a setting, in another system's documentation.
struct Alias {
    constexpr Alias() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): tables read better without its name.
    constexpr Alias(const char* the_name, std::optional<Unit> the_unit = {})
        : name(the_name), unit(the_unit) {}

    std::string_view name;
    std::optional<Unit> unit;  ///< nullopt: that of the setting.
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

/// The field at the end of a path of members that begins in Settings.
template <auto... Members>
[[nodiscard]] auto& field_at(Settings& settings) {
    return (settings.*....*Members);
}

/// Of what such a field holds.
[[nodiscard]] constexpr Unit unit_of(const SettingPlace& field) {
    return std::visit(
        schema::Overloaded{
            [](bool& (*)(Settings&)) { return Unit::flag; },
            [](schema::Duration& (*)(Settings&)) { return Unit::milliseconds; },
            [](std::integral auto& (*)(Settings&)) { return Unit::count; },
            [](auto) { return Unit::text; },
        },
        field
    );
}

/// One row of the settings table.
struct Setting {
    std::string_view name;
    SettingPlace field;
    Unit unit = unit_of(field);

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

/// Every setting that stands at the top of the configuration file, in the order of the
/// documentation: the service's own, the executor's, which jobs it takes first, and which at all,
/// and what is kept of their past.
[[nodiscard]] std::span<const Setting> service_settings();
[[nodiscard]] std::span<const Setting> executor_settings();
[[nodiscard]] std::span<const Setting> order_settings();
[[nodiscard]] std::span<const Setting> scope_settings();
[[nodiscard]] std::span<const Setting> history_settings();
[[nodiscard]] std::vector<const Setting*> all_settings();

/// A name of the guides whose feature this version does not have. Only the value that means "off"
/// is accepted, so that nobody believes in something that does not happen.
struct AbsentSetting {
    std::string_view name;
    std::string_view only_value;  ///< As text; `*`: any value, the setting has no meaning here.
    std::string_view reason;
};

[[nodiscard]] std::span<const AbsentSetting> absent_settings();

/// What a name in the file stands for.
struct NamedSetting {
    const Setting* setting = nullptr;
    Unit unit = Unit::count;
};

/// By our name or an alias; `setting` is nullptr when there is none.
[[nodiscard]] NamedSetting find_setting(std::string_view name);

/// nullptr: no such name.
[[nodiscard]] const AbsentSetting* find_absent_setting(std::string_view name);

/// All names that may stand at the top of the file.
[[nodiscard]] std::vector<std::string_view> known_names();

inline constexpr std::string_view kPresetName = "preset";
inline constexpr std::string_view kCommandsName = "commands";
inline constexpr std::string_view kTargetsName = "targets";
inline constexpr std::string_view kDefinitionsName = "definitions";
inline constexpr std::string_view kFlowableName = "flowable";
inline constexpr std::string_view kRequeuesName = "requeues";
inline constexpr std::string_view kEnginesName = "engines";
inline constexpr std::string_view kSpreadOverName = "spreadOver";
inline constexpr std::string_view kFlowablePreset = "flowable-6";
inline constexpr std::string_view kCamundaPreset = "camunda-7";

}  // namespace jobstrand::cli
