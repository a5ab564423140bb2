#include "tools/output/wrapped_help.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::size_t kLeastColumns = 80;
constexpr std::size_t kMostColumns = 120;

class HelpWriter final {
public:
    explicit HelpWriter(std::size_t columns) : columns_(columns) {}

    void add(const std::string& line) {
        is_example_ = !line.empty() && (is_example_ || line == "Examples:");
        const bool is_sentence = !line.empty() && line.front() != ' ' && !line.ends_with(':') &&
                                 !line.starts_with("Usage: ");
        if (is_sentence && !is_example_) {
            paragraph_ += (paragraph_.empty() ? "" : " ") + line;
            return;
        }
        end_paragraph();
        const std::size_t description = is_example_ ? std::string::npos : description_in(line);
        if (description == std::string::npos) {
            out_ += line + '\n';
        } else {
            fill(line.substr(0, description), line.substr(description));
        }
    }

    [[nodiscard]] std::string take() {
        end_paragraph();
        return std::move(out_);
    }

private:
    /// Behind `  --option TEXT   ` or `Usage: `; npos: the line stays as it is.
    [[nodiscard]] static std::size_t description_in(const std::string& line) {
        if (line.starts_with("Usage: ")) {
            return line.find(' ') + 1;
        }
        const std::size_t name = line.find_first_not_of(' ');
        const std::size_t gap = line.find("  ", name);
        return name == 0 || gap == std::string::npos ? name : line.find_first_not_of(' ', gap);
    }

    void end_paragraph() {
        if (!paragraph_.empty()) {
            fill("", std::exchange(paragraph_, {}));
        }
    }

    /// Words behind a beginning; further lines begin below the first word.
    void fill(const std::string& beginning, const std::string& text) {
        std::string line = beginning;
        bool is_first = true;
        std::istringstream words(text);
        for (std::string word; words >> word; is_first = false) {
            if (!is_first && line.size() + 1 + word.size() > columns_) {
                out_ += line + '\n';
                line = std::string(beginning.size(), ' ');
                is_first = true;
            }
            line += (is_first ? "" : " ") + word;
        }
        out_ += line + '\n';
    }

    const std::size_t columns_;
    std::string paragraph_;
    std::string out_;
    bool is_example_ = false;
};

}  // namespace

std::string wrapped_help(std::string_view help, std::size_t columns) {
    HelpWriter writer(std::clamp(columns, kLeastColumns, kMostColumns));
    std::istringstream lines{std::string(help)};
    for (std::string line; std::getline(lines, line);) {
        writer.add(line);
    }
    return writer.take();
}

}  // namespace jobstrand::cli
