#include "persistence/drivers/mysql/statement.hpp"

#include "persistence/drivers/large_buffer.hpp"
#include "persistence/sql/placeholders.hpp"
#include "persistence/sql/sql_time.hpp"

#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/parameter_metadata.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>

namespace jobstrand::persistence {

namespace {

sql::SQLString as_sql_string(std::string_view text) {
    return {text.data(), text.size()};
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

    void operator()(std::monostate) const { statement.setNull(index, sql::DataType::VARCHAR); }
    void operator()(bool value) const { statement.setBoolean(index, value); }
    void operator()(std::int64_t value) const { statement.setInt64(index, value); }
    void operator()(std::string_view value) const {
        statement.setString(index, as_sql_string(value));
    }
    void operator()(schema::TimePoint value) const { (*this)(SqlTime(value).text()); }
};

class MysqlStatement::FetchedRow final : public Row {
public:
    FetchedRow(const sql::ResultSet& result, std::vector<std::string>& texts)
        : result_(result), texts_(texts) {}

    [[nodiscard]] bool is_null(std::size_t column) const override {
        return result_.isNull(driver_index(column));
    }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        // Assigned, not moved, so that a view from an earlier call for this column stays valid.
        return texts_.at(column).assign(result_.getString(driver_index(column)));
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override {
        return result_.getInt64(driver_index(column));
    }
    [[nodiscard]] bool boolean(std::size_t column) const override {
        return result_.getBoolean(driver_index(column));
    }
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override {
        return is_null(column) ? std::nullopt : std::optional(require_sql_time(text(column)));
    }

private:
    const sql::ResultSet& result_;
    std::vector<std::string>& texts_;
};

MysqlStatement::MysqlStatement(sql::Connection& connection, std::string_view sql)
    : statement_(connection.prepareStatement(as_sql_string(sql))) {}

MysqlStatement::~MysqlStatement() = default;

std::int64_t MysqlStatement::execute(std::span<const Value> parameters) {
    bind(parameters);
    return statement_->executeUpdate();
}

void MysqlStatement::query(
    std::size_t columns,
    std::span<const Value> parameters,
    const RowReader& read
) {
    bind(parameters);
    texts_.resize(columns);
    const std::unique_ptr<sql::ResultSet> result(statement_->executeQuery());
    const FetchedRow row(*result, texts_);
    while (result->next()) {
        read(row);
    }
    for (std::string& text : texts_) {
        release_if_large(text);
    }
}

void MysqlStatement::bind(std::span<const Value> parameters) {
    const auto expected =
        static_cast<std::size_t>(statement_->getParameterMetaData()->getParameterCount());
    require_parameters(expected, parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::visit(Binding{*statement_, driver_index(i)}, parameters[i]);
    }
}

}  // namespace jobstrand::persistence
