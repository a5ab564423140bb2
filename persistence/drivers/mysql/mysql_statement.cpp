#include "persistence/drivers/mysql/mysql_statement.hpp"

#include "persistence/drivers/large_buffer.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/sql/placeholders.hpp"
#include "persistence/sql/sql_time.hpp"

#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/exception.h>
#include <cppconn/parameter_metadata.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>

#include <algorithm>
#include <sstream>

namespace jobstrand::persistence {

namespace {

sql::SQLString as_sql_string(std::string_view text) {
    return {text.data(), text.size()};
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The driver counts parameters and columns from 1.
unsigned int driver_index(std::size_t index) {
    return static_cast<unsigned int>(index + 1);
}

}  // namespace

/// Sets one parameter: a visitor for the kinds of values.
struct MysqlStatement::Binding {
    sql::PreparedStatement& statement;
    unsigned int index;
    std::vector<std::unique_ptr<std::istream>>& streams;
    Texts texts;

    void operator()(std::nullptr_t) const { statement.setNull(index, sql::DataType::VARCHAR); }
    void operator()(bool value) const { statement.setBoolean(index, value); }
    void operator()(std::int64_t value) const { statement.setInt64(index, value); }
    void operator()(std::string_view value) const {
        if (texts == Texts::as_bytes && !is_plain(value)) {
            (*this)(std::as_bytes(std::span(value)));
        } else {
            statement.setString(index, as_sql_string(value));
        }
    }
    void operator()(double value) const { statement.setDouble(index, value); }
    void operator()(Bytes value) const {
        const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
        streams.push_back(std::make_unique<std::istringstream>(std::string(text)));
        statement.setBlob(index, streams.back().get());
    }
    void operator()(schema::TimePoint value) const { (*this)(SqlTime(value).text()); }
};

class MysqlStatement::FetchedRow final : public Row {
public:
    FetchedRow(const sql::ResultSet& result, std::vector<std::string>& texts)
        : result_(result), texts_(texts) {}

    [[nodiscard]] bool is_null(std::size_t column) const override {
        return result_.isNull(index_of(column));
    }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        const unsigned int index = index_of(column);
        // Assigned, not moved, so that a view from an earlier call for this column stays valid.
        return texts_[column].assign(result_.getString(index));
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override {
        return result_.getInt64(index_of(column));
    }
    [[nodiscard]] double real(std::size_t column) const override {
        return static_cast<double>(result_.getDouble(index_of(column)));
    }
    [[nodiscard]] bool boolean(std::size_t column) const override {
        return result_.getBoolean(index_of(column));
    }
    [[nodiscard]] Bytes blob(std::size_t column) const override {
        return std::as_bytes(std::span(text(column)));
    }
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override {
        return is_null(column) ? std::nullopt : std::optional(require_sql_time(text(column)));
    }

private:
    [[nodiscard]] unsigned int index_of(std::size_t column) const {
        require_column(column, texts_.size());
        return driver_index(column);
    }

    const sql::ResultSet& result_;
    std::vector<std::string>& texts_;
};

MysqlStatement::MysqlStatement(sql::Connection& connection, std::string_view sql)
    : statement_(connection.prepareStatement(as_sql_string(sql))) {}

MysqlStatement::~MysqlStatement() = default;

// To the server bytes have the character set of what they are compared with, so that no letter has
// to be turned into it, and an index is used all the same.
template <typename Run>
auto MysqlStatement::run_bound(std::span<const Value> parameters, const Run& run) {
    bind(parameters, Texts::as_text);
    // Defended catch: nothing was run, and this error has a remedy.
    try {
        return run();
    } catch (const sql::SQLException& error) {
        if (!is_mix_of_character_sets(error.getErrorCode())) {
            throw;
        }
    }
    bind(parameters, Texts::as_bytes);
    return run();
}

std::int64_t MysqlStatement::execute(std::span<const Value> parameters) {
    return run_bound(parameters, [this] { return std::int64_t{statement_->executeUpdate()}; });
}

void MysqlStatement::query(
    std::size_t columns,
    std::span<const Value> parameters,
    const RowReader& read
) {
    const std::unique_ptr<sql::ResultSet> result(run_bound(parameters, [this] {
        return statement_->executeQuery();
    }));
    texts_.resize(columns == 0 ? result->getMetaData()->getColumnCount() : columns);
    const FetchedRow row(*result, texts_);
    while (result->next()) {
        read(row);
    }
    for (std::string& text : texts_) {
        release_if_large(text);
    }
}

void MysqlStatement::bind(std::span<const Value> parameters, Texts texts) {
    const auto expected =
        static_cast<std::size_t>(statement_->getParameterMetaData()->getParameterCount());
    require_parameters(expected, parameters.size());
    streams_.clear();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::visit(Binding{*statement_, driver_index(i), streams_, texts}, parameters[i]);
    }
}

}  // namespace jobstrand::persistence
