#pragma once

#include "tools/settings/settings.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the table [flowable]: the engines whose jobs the service runs.
class FlowableTable final {
public:
    [[nodiscard]] FlowableSettings read(const toml::node& node);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_key(const std::string& key, const toml::node& node, FlowableSettings& flowable);
    void read_engines(const toml::node& node, FlowableSettings& flowable);
    void read_calls(const toml::node& node, FlowableSettings& flowable);
    [[nodiscard]] std::vector<std::string> texts(const std::string& key, const toml::node& node);

    TableKeys keys_{"flowable"};
};

}  // namespace jobstrand::cli
