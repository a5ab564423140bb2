#include "tools/engine/conversions.hpp"
#include "tools/engine/open_transaction.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand {

namespace {

std::span<const Value> as_span(std::initializer_list<Value> parameters) {
    return {parameters.begin(), parameters.size()};
}

/// Shows one of our rows to the app.
class ShownRow final : public Row {
public:
    explicit ShownRow(const persistence::Row& row) : row_(row) {}

    [[nodiscard]] bool is_null(std::size_t column) const override { return row_.is_null(column); }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return row_.text(column);
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override {
        return row_.integer(column);
    }
    [[nodiscard]] double real(std::size_t column) const override { return row_.real(column); }
    [[nodiscard]] bool boolean(std::size_t column) const override { return row_.boolean(column); }
    [[nodiscard]] Bytes blob(std::size_t column) const override { return row_.blob(column); }
    [[nodiscard]] std::optional<TimePoint> time(std::size_t column) const override {
        return row_.time(column);
    }

private:
    const persistence::Row& row_;
};

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
    return engine::with_public_errors([&] {
        persistence::Transaction& ours = open_->ours();
        ours.app_runs(sql);
        return ours.execute(sql, engine::values_of(parameters));
    });
}

std::int64_t Transaction::execute(std::string_view sql, std::initializer_list<Value> parameters) {
    return execute(sql, as_span(parameters));
}

void Transaction::query(
    std::string_view sql,
    std::span<const Value> parameters,
    const ReadRow& read
) {
    engine::with_public_errors([&] {
        persistence::Transaction& ours = open_->ours();
        ours.app_runs(sql);
        ours.query({.sql = sql}, engine::values_of(parameters), [&](const auto& row) {
            read(ShownRow(row));
        });
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
