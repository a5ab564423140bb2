#include "tools/settings/setting_table.hpp"

#include <algorithm>

namespace jobstrand::cli {

std::vector<const Setting*> all_settings() {
    std::vector<const Setting*> all;
    for (const auto rows :
         {service_settings(),
          executor_settings(),
          order_settings(),
          scope_settings(),
          history_settings()}) {
        for (const Setting& setting : rows) {
            all.push_back(&setting);
        }
    }
    return all;
}

NamedSetting find_setting(std::string_view name) {
    for (const Setting* setting : all_settings()) {
        if (setting->name == name) {
            return {.setting = setting, .unit = setting->unit};
        }
        for (const Alias& alias : setting->aliases) {
            if (!alias.name.empty() && alias.name == name) {
                return {.setting = setting, .unit = alias.unit};
            }
        }
    }
    return {};
}

const AbsentSetting* find_absent_setting(std::string_view name) {
    const auto rows = absent_settings();
    const auto found = std::find_if(rows.begin(), rows.end(), [name](const AbsentSetting& absent) {
        return absent.name == name;
    });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string_view> known_names() {
    std::vector<std::string_view> names{
        kPresetName, kCommandsName, kTargetsName, kDefinitionsName, kRequeuesName};
    for (const Setting* setting : all_settings()) {
        names.push_back(setting->name);
        for (const Alias& alias : setting->aliases) {
            if (!alias.name.empty()) {
                names.push_back(alias.name);
            }
        }
    }
    for (const AbsentSetting& absent : absent_settings()) {
        names.push_back(absent.name);
    }
    return names;
}

}  // namespace jobstrand::cli
