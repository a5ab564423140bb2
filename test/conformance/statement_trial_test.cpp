#include "persistence/store/statement_trial.hpp"

#include "persistence/drivers/driver.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::RefusedActivity;
using persistence::TriedSettings;
using testing::Contains;

/// Without line breaks, and with single blanks.
std::string in_one_line(std::string_view sql) {
    std::string line;
    for (const char c : sql) {
        const bool is_blank = c == ' ' || c == '\n';
        if (!is_blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line.ends_with(' ') ? line.substr(0, line.size() - 1) : line;
}

/// Notes what runs on a real connection, and refuses what begins with `refused`, as an engine does
/// that does not know it.
class WatchedConnection final : public Connection {
public:
    WatchedConnection(
        std::unique_ptr<Connection> real,
        std::set<std::string>& statements,
        std::string refused = {}
    )
        : real_(std::move(real)), statements_(statements), refused_(std::move(refused)) {}

    [[nodiscard]] const persistence::Dialect& dialect() const noexcept override {
        return real_->dialect();
    }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override {
        watch(sql);
        return real_->execute(sql, parameters);
    }
    void query(
        persistence::Query query,
        std::span<const Value> parameters,
        const persistence::RowReader& read
    ) override {
        watch(query.sql);
        real_->query(query, parameters, read);
    }
    void run_script(std::string_view sql) override { real_->run_script(sql); }
    void begin() override { real_->begin(); }
    void announce_jobs() override { real_->announce_jobs(); }
    void commit() override {
        ADD_FAILURE() << "a trial is committed";
        real_->commit();
    }
    void rollback() noexcept override { real_->rollback(); }
    [[nodiscard]] bool is_usable() const noexcept override { return real_->is_usable(); }

private:
    void watch(std::string_view sql) {
        std::string line = in_one_line(sql);
        if (!refused_.empty() && line.starts_with(refused_)) {
            throw DbError(DbErrorKind::other, "unsupported: " + line);
        }
        statements_.insert(std::move(line));
    }

    const std::unique_ptr<Connection> real_;
    std::set<std::string>& statements_;
    const std::string refused_;
};

/// A statement in the sources of the store, and what is literal in it, in its order.
struct Form {
    std::string file;
    std::string name;
    bool begins_literally = false;
    std::vector<std::string> parts = {};

    [[nodiscard]] bool is_that_of(std::string_view statement) const {
        std::size_t at = 0;
        for (const std::string& part : parts) {
            const std::size_t found = statement.find(part, at);
            if (found == std::string_view::npos || (at == 0 && begins_literally && found != 0)) {
                return false;
            }
            at = found + part.size();
        }
        return true;
    }
};

Form form_of(std::string file, std::string name, const std::string& text) {
    static const std::regex gap(R"( ?(\{[^}]*\}|\(\.\.\.\)) ?)");
    Form form{.file = std::move(file), .name = std::move(name)};
    form.begins_literally = !text.starts_with('{');
    std::ranges::copy_if(
        std::vector<std::string>(
            std::sregex_token_iterator(text.begin(), text.end(), gap, -1),
            std::sregex_token_iterator()
        ),
        std::back_inserter(form.parts),
        [](const std::string& part) { return !part.empty(); }
    );
    return form;
}

std::string content_of(const std::filesystem::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

/// All statements of the store. Those of a database alone, and those that make tables, are none.
std::vector<Form> forms_of_the_store() {
    static const std::regex statement(
        R"re(string_view (k\w+) =\s*(?:R"sql\(\s*)?"?((?:SELECT|INSERT|UPDATE|DELETE|\{delete_where\}|\{insert_if)[^;]*?)\)?(?:sql)?";)re"
    );
    const std::filesystem::path root = std::filesystem::path(JOBSTRAND_SOURCE_DIR) / "persistence";
    std::vector<Form> forms;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const std::string file = entry.path().lexically_relative(root);
        const std::string room = file.substr(0, file.find('/'));
        if (!file.ends_with(".cpp") || room == "drivers" || room == "migration") {
            continue;
        }
        const std::string text = content_of(entry.path());
        for (std::sregex_iterator found(text.begin(), text.end(), statement), end; found != end;
             ++found) {
            forms.push_back(form_of(file, (*found)[1], in_one_line((*found)[2].str())));
        }
    }
    return forms;
}

/// Statements that no trial runs.
struct Untried {
    std::string_view file;                     ///< Or its room.
    std::vector<std::string_view> names = {};  ///< None: all of the file.
    enum class On { all, sqlite, servers } on = On::all;
};

const std::vector<Untried> kUntried{
    // People ask for these, and are told at once when the database refuses them. A batch fails as a
    // job does.
    {"batches/"},
    {"queries/"},
    {"history/sql_history_store.cpp", {"kListRuns"}},
    {"history/incident_rows.cpp", {"kCountRange", "kDeleteRange"}},
    {"history/list_incidents.cpp"},
    {"history/job_log.cpp"},
    {"jobs/suspend_jobs.cpp"},
    {"limits/limit_rows.cpp", {"kRunning", "kWaitingNow", "kRunsByOwner", "kUsedUntil"}},
    {"nodes/leases.cpp", {"kLost"}},
    {"nodes/node_work.cpp", {"kAsked", "kRunningSince", "kRates", "kNews"}},
    {"nodes/throughput_rows.cpp", {"kSpans"}},
    {"rows/move_jobs.cpp", {"kCopy"}, Untried::On::sqlite},
    {"rows/suspended_scopes.cpp", {"kForgetMarks"}},
    {"series/calendars.cpp"},
    {"series/change_series.cpp"},
    {"series/list_series.cpp"},
    {"series/series_table.cpp", {"kCalendars"}},
    {"series/series_turns.cpp"},
    {"tables/definition_rows.cpp",
     {"kFindDefinition",
      "kWriteDefinition",
      "kWithAnotherPriority",
      "kThoseThatAreFree",
      "kIsFree",
      "kSetPriority",
      "kKeepPriority"}},
    {"tables/journal.cpp", {"kList"}},
    {"workers/external_locks.cpp", {"kOfWorker"}},
    // These read whole tables, or what the limit of a setting leaves.
    {"history/sql_history_store.cpp", {"kOneTooMany", "kTypesWithMore"}},
    {"jobs/reset_expired_locks.cpp", {"kLockedBy"}},
    {"nodes/leases.cpp", {"kExpired", "kEndLease", "kLocked", "kEndLocks"}},
    {"rows/page_claims.cpp", {"kEndAll"}},
    // Only when a job waits for a limit.
    {"jobs/candidates.cpp", {"kServedOfGroup", "kAbandoned"}},
    // These mend rows that SQL has left behind: duplicates, ids that are none, timers without a due
    // date that can be read.
    {"jobs/due_timers.cpp", {"kFirst"}},
    {"jobs/reset_expired_locks.cpp", {"kCount", "kMarked"}},
    {"rows/key_rows.cpp", {"kForget"}},
    {"rows/new_dead_letters.cpp", {"kRename", "kNameEmpty"}},
    // What a lost answer, or a job beside a claim, makes necessary.
    {"rows/page_claims.cpp", {"kIsThere", "kAny"}},
    // Each database has one of the two.
    {"rows/page_claims.cpp", {"kGate", "kWriteGate"}},
    {"jobs/candidates.cpp", {"kWaitingGroups", "kDistinctWaitingGroups"}},
    // Only beside a Flowable engine.
    {"limits/engine_instances.cpp"},
    {"rows/engine_columns.cpp"},
    // SQLite locks no page.
    {"rows/page_claims.cpp", {}, Untried::On::sqlite},
};

bool is_untried(const Form& form, bool is_server) {
    return std::ranges::any_of(kUntried, [&](const Untried& untried) {
        const bool is_here =
            untried.on == Untried::On::all || is_server == (untried.on == Untried::On::servers);
        return is_here && form.file.starts_with(untried.file) &&
               (untried.names.empty() || std::ranges::count(untried.names, form.name) > 0);
    });
}

// A table of jobs is empty again and again, and looks so in the statistics of PostgreSQL. It begins
// a join there, and walks through all that an open transaction keeps of deleted jobs. What people
// ask for may do so.
TEST(StatementsOfNodes, Ask_for_each_job_by_its_key_and_join_no_table_of_jobs) {
    for (const Form& form : forms_of_the_store()) {
        for (const std::string& part : form.parts) {
            const bool is_joined = part.find("JOIN ACT_RU_") != std::string::npos ||
                                   part.find("EXISTS (SELECT 1 FROM ACT_RU_") != std::string::npos;
            EXPECT_FALSE(is_joined && !form.file.starts_with("queries/"))
                << form.file << ": " << form.name;
        }
    }
}

class StatementTrial : public StoreTest {
protected:
    /// What is refused, with all that settings can ask for.
    std::vector<RefusedActivity> refused(std::string refused_statement = {}) {
        std::vector<RefusedActivity> all;
        for (const TriedSettings& settings : all_settings()) {
            WatchedConnection connection(
                database_->connect(SessionPool::Access::write), statements_, refused_statement
            );
            for (RefusedActivity& one :
                 persistence::refused_activities(connection, schedule_, settings)) {
                if (std::ranges::find(all, one) == all.end()) {
                    all.push_back(std::move(one));
                }
            }
        }
        return all;
    }

    [[nodiscard]] bool is_server() const { return !GetParam().driver->has_one_writer; }

    /// With the indexes that they need.
    std::vector<TriedSettings> all_settings() {
        const schema::LockGranularity locks =
            is_server() ? schema::LockGranularity::page : schema::LockGranularity::row;
        std::vector<TriedSettings> all{{.locks = locks}, {.instances_together = true}};
        for (const schema::AcquisitionOrder& order : {
                 schema::AcquisitionOrder{.by_priority = true},
                 schema::AcquisitionOrder{.timers_first = true},
                 schema::AcquisitionOrder{.by_priority = true, .by_due_date = true},
                 schema::AcquisitionOrder{.by_priority = true, .aging = 1min},
                 schema::AcquisitionOrder{.tenants_in_turn = true},
             }) {
            all.push_back({.order = order});
            make(schema::index_of(order));
        }
        make(schema::kInstanceIndex);
        return all;
    }

    [[nodiscard]] std::map<std::string, std::int64_t> rows() {
        std::map<std::string, std::int64_t> rows;
        for (const schema::Table& table : schema::tables()) {
            rows.emplace(table.name, count_rows(table.name));
        }
        return rows;
    }

    void TearDown() override {
        for (const schema::OptionalIndex* const index : made_) {
            (void)persistence::drop_index(*connection_, *index);
        }
    }

    void make(const schema::OptionalIndex& index) {
        if (persistence::create_index(*connection_, index)) {
            made_.push_back(&index);
        }
    }

    std::vector<const schema::OptionalIndex*> made_;
    std::set<std::string> statements_;
    const timers::SeriesPlanner schedule_;
};

ON_EVERY_DATABASE(StatementTrial);

TEST_P(StatementTrial, Finds_nothing_refused_and_leaves_everything_as_it_was) {
    insert(a_job("a"));
    insert(JobPlace::timer, a_job("b").due_at(clock_.now()));
    const auto before = rows();
    EXPECT_THAT(refused(), IsEmpty());
    EXPECT_EQ(rows(), before);
    EXPECT_EQ(job("a").revision, 1);
    EXPECT_EQ(place_of("b"), "timer");
}

TEST_P(StatementTrial, Names_what_cannot_be_done_without_a_statement_and_goes_on) {
    const std::vector<RefusedActivity> found = refused("DELETE FROM JS_RUN_NEWS");
    EXPECT_THAT(
        found,
        Contains(AllOf(
            Field(&RefusedActivity::activity, "tell of runs"),
            Field(&RefusedActivity::reason, HasSubstr("unsupported: DELETE FROM JS_RUN_NEWS"))
        ))
    );
    EXPECT_THAT(statements_, Contains(HasSubstr("JS_REQUEST"))) << "what comes behind it is tried";
    WatchedConnection connection(
        database_->connect(SessionPool::Access::write), statements_, "DELETE FROM JS_RUN_NEWS"
    );
    EXPECT_THAT(
        [&] { persistence::require_statements(connection, schedule_, {}); },
        testing::ThrowsMessage<DbError>(HasSubstr(" to tell of runs: unsupported"))
    );
}

// The list of trials cannot fall behind the statements.
TEST_P(StatementTrial, Runs_every_statement_of_the_store_but_those_of_people) {
    EXPECT_THAT(refused(), IsEmpty());
    std::string forgotten;
    for (const Form& form : forms_of_the_store()) {
        const bool is_tried = std::ranges::any_of(statements_, [&](const std::string& statement) {
            return form.is_that_of(statement);
        });
        if (!is_tried && !is_untried(form, is_server())) {
            forgotten += fmt::format("\n{}: {}", form.file, form.name);
        }
    }
    EXPECT_EQ(forgotten, "") << "is tried by no function in persistence/store/trial_stage.cpp";
    EXPECT_THAT(forms_of_the_store(), SizeIs(testing::Gt(200U)));
}

}  // namespace

}  // namespace jobstrand::test
