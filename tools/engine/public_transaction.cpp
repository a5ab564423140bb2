#include "persistence/sql/sql_values.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/value.hpp>

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

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

namespace {

std::span<const Value> as_span(std::initializer_list<Value> parameters) {
    return {parameters.begin(), parameters.size()};
}

}  // namespace

persistence::Transaction& Transaction::Open::ours() const {
    if (transaction_ == nullptr) {
        throw std::logic_error(
            "this transaction has ended: use it only inside the function that was given it"
        );
    }
    return *transaction_;
}

persistence::Transaction& Transaction::Open::ours_of(const engine::Wiring& engine) const {
    if (&owner_ != &engine) {
        throw std::logic_error(
            "this transaction belongs to another engine: enqueue with the engine that began it"
        );
    }
    return ours();
}

Transaction::Transaction(std::shared_ptr<Open> open) : open_(std::move(open)) {}

Transaction::Open& Transaction::open() const {
    return *open_;
}

std::int64_t Transaction::execute(std::string_view sql, std::span<const Value> parameters) {
    persistence::Transaction& ours = open_->ours();
    ours.app_runs(sql);
    return ours.execute(sql, engine::values_of(parameters));
}

std::int64_t Transaction::execute(std::string_view sql, std::initializer_list<Value> parameters) {
    return execute(sql, as_span(parameters));
}

void Transaction::query(
    std::string_view sql,
    std::span<const Value> parameters,
    const ReadRow& read
) {
    persistence::Transaction& ours = open_->ours();
    ours.app_runs(sql);
    ours.query({.sql = sql}, engine::values_of(parameters), [&](const persistence::Row& row) {
        engine::with_foreign_errors([&] { read(row); });
    });
}

void Transaction::query(
    std::string_view sql,
    std::initializer_list<Value> parameters,
    const ReadRow& read
) {
    query(sql, as_span(parameters), read);
}

}  // namespace jobstrand
