#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/tables.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What a producer's SQL can write into the columns of a job or of a series although it means
/// nothing there.
namespace jobstrand::test {

/// Lets this connection write what tables made by this program refuse, as tables that are older, or
/// a server with loose settings, would let everybody.
void allow_odd_values(persistence::Connection& connection);

/// A fixture of the store whose connection may write them.
template <typename StoreFixture>
class WithOddValues : public StoreFixture {
protected:
    void SetUp() override {
        StoreFixture::SetUp();
        if (!this->IsSkipped()) {
            allow_odd_values(*this->connection_);
        }
    }

    [[nodiscard]] const persistence::Dialect& dialect() const {
        return this->connection_->dialect();
    }
};

struct OddValue {
    std::string_view column;
    std::string_view literal;  ///< As written in SQL.
};

/// Values that no job can be made of, each in a column of all job tables with locks.
[[nodiscard]] std::vector<OddValue> unreadable_values(const persistence::Dialect& dialect);

/// Values that no series can have, each in a column of JS_SERIES that is not its key.
[[nodiscard]] std::vector<OddValue> unreadable_series_values(const persistence::Dialect& dialect);

/// A due date that cannot be read, and that stands before all others in the order of the database.
[[nodiscard]] std::string_view first_of_all_due_dates(const persistence::Dialect& dialect);

/// Times that cannot be read, as literals.
[[nodiscard]] std::vector<std::string_view> unreadable_times(const persistence::Dialect& dialect);

/// Literals that one may try in a column of this kind: right, nearly right, and absurd.
[[nodiscard]] std::vector<std::string>
literals_for(schema::ColumnKind kind, const persistence::Dialect& dialect);

}  // namespace jobstrand::test
