#include "tools/jobstrand/commands/typed_ids.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/input/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace jobstrand::cli {

namespace {

/// Longer than any id, so that a file which holds no ids is told soon.
constexpr std::size_t kLineBytes = 4096;

constexpr const char* kFromInput = "-";

void require_room(bool is_room, const std::string& why) {
    if (!is_room) {
        throw CliError(ExitCode::wrong_usage, "stdin: " + why);
    }
}

/// nullopt: the end. Without the line break, also that of Windows.
[[nodiscard]] std::optional<std::string> next_line(Input& input) {
    std::optional<std::string> line;
    while (const auto c = input.next()) {
        line = line.value_or("");
        if (*c == '\n') {
            break;
        }
        require_room(line->size() < kLineBytes, "a line is too long for an id");
        *line += *c;
    }
    if (line && line->ends_with('\r')) {
        line->pop_back();
    }
    return line;
}

void append_lines(Session& session, std::vector<std::string>& ids) {
    Input input = Input::open(session.streams().in, "ids", kFromInput);
    std::size_t count = 0;
    while (auto line = next_line(input)) {
        if (!line->empty()) {
            require_room(++count <= kIdsFromInput, fmt::format("more than {} ids", kIdsFromInput));
            ids.push_back(std::move(*line));
        }
    }
}

}  // namespace

std::vector<std::string> typed_ids(Session& session, const std::vector<std::string>& typed) {
    if (std::ranges::count(typed, kFromInput) > 1) {
        throw CliError(ExitCode::wrong_usage, "`-` for stdin can be given once");
    }
    std::vector<std::string> ids;
    for (const std::string& id : typed) {
        if (id == kFromInput) {
            append_lines(session, ids);
        } else {
            ids.push_back(not_empty("an id", id));
        }
    }
    return ids;
}

}  // namespace jobstrand::cli
