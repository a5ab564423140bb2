#include "persistence/sql/hex_text.hpp"
#include "persistence/sql/sql_time.hpp"

#include <jobstrand/value.hpp>

#include <array>
#include <charconv>
#include <stdexcept>

namespace jobstrand {

namespace {

/// Each kind of value as a database reads it.
struct AsText {
    std::optional<std::string> operator()(std::nullptr_t) const { return std::nullopt; }
    std::optional<std::string> operator()(bool flag) const { return flag ? "1" : "0"; }
    std::optional<std::string> operator()(std::int64_t number) const {
        return std::to_string(number);
    }
    std::optional<std::string> operator()(double number) const {
        std::array<char, 32> text{};
        char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
        return std::string(text.data(), end);
    }
    std::optional<std::string> operator()(std::string_view text) const { return std::string(text); }
    std::optional<std::string> operator()(Bytes bytes) const {
        return persistence::hex_text_of(bytes);
    }
    std::optional<std::string> operator()(TimePoint time) const {
        return std::string(persistence::SqlTime(time).text());
    }
};

}  // namespace

std::optional<std::string> Value::text() const {
    return std::visit(AsText{}, content_);
}

void Value::refuse_large_number() {
    throw std::out_of_range("this number is above 2^63 - 1, which no column holds: pass it as text"
    );
}

}  // namespace jobstrand
