#include "tools/surface/description.hpp"

#include <algorithm>

namespace jobstrand::cli {

const CommandDescription* command_named(const CommandDescription& command, std::string_view name) {
    const auto found = std::ranges::find(command.commands, name, &CommandDescription::name);
    return found == command.commands.end() ? nullptr : &*found;
}

}  // namespace jobstrand::cli
