#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace jobstrand::cli {

/// What the parser meets, one by one, in place of a document in memory, which takes many times the
/// room of its text. Each answers whether to go on. A class behind it overrides what it looks for;
/// to all else the answer is the constructor's.
class JsonEvents : public nlohmann::json::json_sax_t {
public:
    explicit JsonEvents(bool goes_on) : goes_on_(goes_on) {}

    bool null() override { return goes_on_; }
    bool boolean(bool) override { return goes_on_; }
    bool number_integer(number_integer_t) override { return goes_on_; }
    bool number_unsigned(number_unsigned_t) override { return goes_on_; }
    bool number_float(number_float_t, const string_t&) override { return goes_on_; }
    bool string(string_t&) override { return goes_on_; }
    bool binary(binary_t&) override { return false; }  // Not in texts.
    bool start_object(std::size_t) override { return goes_on_; }
    bool key(string_t&) override { return goes_on_; }
    bool end_object() override { return goes_on_; }
    bool start_array(std::size_t) override { return goes_on_; }
    bool end_array() override { return goes_on_; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;
    }

private:
    const bool goes_on_;
};

}  // namespace jobstrand::cli
