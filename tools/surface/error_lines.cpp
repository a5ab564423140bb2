#include "tools/surface/error_lines.hpp"

#include "tools/output/output_style.hpp"
#include "tools/process/this_process.hpp"
#include "tools/text/printable.hpp"

#include <sstream>

namespace jobstrand::cli {

void print_error_lines(Streams& streams, const std::string& message) {
    streams.out.flush();
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        streams.err << message_start(streams.err_is_coloured) << without_password(printable(line))
                    << '\n';
    }
    streams.err.flush();
}

}  // namespace jobstrand::cli
