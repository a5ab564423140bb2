#pragma once

#include "tools/settings/setting.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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
