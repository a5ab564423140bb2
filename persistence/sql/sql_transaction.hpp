#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A transaction on a borrowed connection: begun by the constructor, rolled back by the destructor
/// unless it was committed.
///
/// An app that embeds Jobstrand receives one of these, writes its own rows with execute(), and
/// hands it to EnqueuerStore::insert: its rows and its jobs then commit together.
///
/// After a DbError only a rollback is left: every further statement, and commit(), throws the same
/// error again. Some databases roll back by themselves after some errors, and what came then would
/// be committed alone.
///
/// Thread safety: none. The connection must outlive it.
class Transaction final {
public:
    enum class State {
        active,
        committed,
        rolled_back,
        in_doubt,  ///< The connection was lost during COMMIT: only the rows know (I9).
    };

    enum class Beginning {
        anew,
        within,  ///< It goes on with the transaction that is open on the connection.
    };

    explicit Transaction(Connection& connection, Beginning beginning = Beginning::anew);
    ~Transaction();

    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// See Connection. Throws std::logic_error when the transaction has ended.
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters);
    std::int64_t execute(std::string_view sql, std::initializer_list<Value> parameters = {});
    [[nodiscard]] bool copy_in(const NewRows& rows);
    void query(Query query, std::span<const Value> parameters, const RowReader& read);
    void query(Query query, std::initializer_list<Value> parameters, const RowReader& read);

    /// See Connection.
    void announce_jobs();

    /// Calls the before_commit callbacks. The last statements have run then.
    void prepare();

    /// Prepares, commits, then calls the on_commit callbacks, each in their order. Throws DbError:
    /// in_doubt leaves the state in_doubt, any other kind leaves it rolled_back.
    void commit();

    /// The same for a transaction that another thread ends, who has the connection: `wait` returns
    /// after its commit, or throws the DbError that it ended with. Precondition: it is prepared.
    void commit_elsewhere(const std::function<void()>& wait);

    void rollback() noexcept;

    /// `callback` runs when commit() is called, and may still run statements; what it throws keeps
    /// the transaction from committing.
    void before_commit(std::function<void()> callback);

    /// `callback` runs after a successful commit, on the committing thread: the hand-off of new
    /// jobs. It must not throw. It is dropped when the transaction does not commit.
    void on_commit(std::function<void()> callback);

    /// Notes a statement that an app runs here by itself.
    void app_runs(std::string_view sql);

    /// How many of the app's statements so far may have touched jobs (see may_touch_jobs).
    [[nodiscard]] int app_touches() const noexcept { return app_touches_; }

    [[nodiscard]] State state() const noexcept { return state_; }
    [[nodiscard]] const Dialect& dialect() const noexcept { return connection_.dialect(); }

private:
    template <typename Call>
    auto run(Call call);
    void call_committed();

    Connection& connection_;
    State state_ = State::active;
    std::optional<DbError> failure_;  ///< The first error of a statement.
    std::vector<std::function<void()>> before_commit_;
    std::vector<std::function<void()>> on_commit_;
    int app_touches_ = 0;
};

}  // namespace jobstrand::persistence
