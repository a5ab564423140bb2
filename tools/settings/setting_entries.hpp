#pragma once

#include "tools/settings/setting_table.hpp"

#include <map>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// One `name = value` at the top of the file.
struct SettingEntry {
    std::string name;
    SettingValue value;
    int line = 0;
};

/// A sentence about one line of the file.
struct LineMessage {
    int line = 0;
    std::string text;
};

/// Puts entries into settings: the preset first, wherever it stands, then the rest, which win over
/// it.
class SettingEntries {
public:
    explicit SettingEntries(Settings& settings) : settings_(settings) {}

    void apply(const std::vector<SettingEntry>& entries);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return problems_; }
    [[nodiscard]] const std::vector<LineMessage>& remarks() const { return remarks_; }

private:
    /// Under which name, and with which outcome, a setting was given.
    struct Given {
        std::string name;
        std::string text;
    };

    void apply_preset(const SettingEntry& entry);
    void apply_entry(const SettingEntry& entry);
    void apply_absent(const SettingEntry& entry, const AbsentSetting& absent);
    void apply_known(const SettingEntry& entry, const NamedSetting& named);
    void lower_core_pool();
    void check_together(const std::vector<SettingEntry>& entries);
    void check_password(const std::vector<SettingEntry>& entries);

    Settings& settings_;
    std::map<const Setting*, Given> given_;
    std::vector<LineMessage> problems_;
    std::vector<LineMessage> remarks_;
};

}  // namespace jobstrand::cli
