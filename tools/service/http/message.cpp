#include "tools/service/http/message.hpp"

#include <algorithm>

namespace jobstrand::service {

namespace {

[[nodiscard]] char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_same_token(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view Request::header(std::string_view name) const {
    const auto found = std::ranges::find_if(headers, [name](const Header& header) {
        return is_same_token(header.name, name);
    });
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::size_t Request::count_headers(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count_if(headers, [name](const Header& header) {
        return is_same_token(header.name, name);
    }));
}

std::string_view Request::path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
}

}  // namespace jobstrand::service
