#include "tools/service/verbs/verb_response.hpp"

#include "tools/service/http/problem.hpp"

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using cli::ExitCode;
using cli::VerbAnswer;

constexpr std::string_view kErrorStart = "jobstrand: ";

[[nodiscard]] int status_of(ExitCode code) {
    switch (code) {
        case ExitCode::done:
        case ExitCode::partly_done:
        case ExitCode::check_found:
            return 200;
        case ExitCode::wrong_usage:
            return 400;
        case ExitCode::not_found:
            return 404;
        case ExitCode::refused:
            return 409;
        case ExitCode::failed:
            break;
    }
    return 500;
}

[[nodiscard]] std::vector<std::string> error_lines_of(const VerbAnswer& answer) {
    std::vector<std::string> lines;
    std::istringstream text(answer.errors);
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line.starts_with(kErrorStart) ? line.substr(kErrorStart.size()) : line);
    }
    return lines;
}

}  // namespace

Response response_to(VerbAnswer answer) {
    const int status = status_of(answer.exit_code);
    Response response{.status = status, .body = std::move(answer.output)};
    if (status != 200) {
        std::vector<std::string> lines = error_lines_of(answer);
        const std::string detail = lines.empty() ? "the verb has failed" : lines.front();
        lines.resize(lines.size() > 1 ? lines.size() : 0);
        response = problem(status, detail, lines);
    }
    response.headers.push_back(
        {"Jobstrand-Exit-Code", std::to_string(static_cast<int>(answer.exit_code))}
    );
    return response;
}

}  // namespace jobstrand::service
