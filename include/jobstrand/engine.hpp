#pragma once

#include <jobstrand/change_answer.hpp>
#include <jobstrand/definition.hpp>
#include <jobstrand/enqueuer.hpp>
#include <jobstrand/error.hpp>
#include <jobstrand/handler.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/job_query.hpp>
#include <jobstrand/options.hpp>
#include <jobstrand/transaction.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// What came of running one job by hand, and what became of the job if it was run.
struct RunReport {
    RunAnswer answer = RunAnswer::not_found;
    std::optional<JobPlace> place = {};  ///< timer: it is tried again; nullopt: it is over.
    std::string message = {};            ///< Of the failure; empty: there was none.

    /// For who asks no more than that.
    operator RunAnswer() const { return answer; }
};

/// Jobs of one database: what an app that embeds Jobstrand holds.
///
///     jobstrand::Engine engine({.database_url = "sqlite:orders.db"});
///     engine.add_handler("send-invoice", send_invoice);
///     engine.start();
///     engine.enqueue({.handler_type = "send-invoice", .payload = R"({"order":17})"});
///
/// Nothing runs before start(): until then, and after stop(), jobs are stored for whoever runs them
/// (R004).
///
/// Errors: Error when the database is in trouble; std::invalid_argument for values that cannot be
/// stored or read, one sentence per mistake; std::logic_error, of which that is one kind, for calls
/// that make no sense now.
///
/// Thread safety: safe.
class Engine {
public:
    /// Opens the database, and creates or upgrades the tables.
    explicit Engine(EngineOptions options);

    /// Stops (drain) when that has not been done.
    ~Engine();

    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Handlers: one for each type, before start() or later.

    void add_handler(std::string handler_type, Handler handler);
    void add_transactional_handler(std::string handler_type, TransactionalHandler handler);
    void add_async_handler(std::string handler_type, AsyncHandler handler);

    /// Leaves jobs of this type to other nodes from now on. Runs that are under way go on. false:
    /// it has no handler.
    bool remove_handler(const std::string& handler_type);

    /// Takes these jobs from now on (R101), in place of EngineOptions::scope.
    void limit_to(ServedScope scope);

    /// What it takes now.
    [[nodiscard]] ServedScope scope() const;

    // Running: once.

    void start();

    /// Takes in nothing more, waits for running jobs as `mode` says, and writes what came of them.
    /// Call it again with at_once from another thread to hurry. false: some handler did not end in
    /// time; its job runs again elsewhere, and the process should end without destroying the
    /// engine.
    bool stop(StopMode mode = StopMode::drain);

    /// Whether jobs are taken in: after start() and before stop().
    [[nodiscard]] bool is_running() const;

    /// Looks for jobs and timers now instead of at the next poll: after a commit of jobs that were
    /// enqueued by other means.
    void wake();

    /// Calls `hear`, from any thread, when there may be free jobs for external workers: those that
    /// were enqueued or given back here, or that this engine has moved when they fell due; after
    /// start(), what it hears of other processes as well. Those of workers that died are found by
    /// asking now and then. It must neither block nor call the engine, but wake whoever asks. An
    /// empty function: nobody wants to know. When this returns, the one before is not called any
    /// more.
    void on_external_jobs(std::function<void()> hear);

    // Enqueueing. Returns the id(s). In a transaction of its own, all or none; in a transaction of
    // the engine; or on the app's own connection (see Enqueuer).

    std::string enqueue(NewJob job);
    std::string enqueue(Transaction& transaction, NewJob job);
    std::string enqueue(const AppConnection& connection, NewJob job);
    std::vector<std::string> enqueue_all(std::vector<NewJob> jobs);
    std::vector<std::string> enqueue_all(Transaction& transaction, std::vector<NewJob> jobs);
    std::vector<std::string> enqueue_all(const AppConnection& connection, std::vector<NewJob> jobs);

    /// Enqueues a job with a unique key and returns the result; the other functions return the id
    /// of the job that has the key now.
    Enqueued enqueue_unique(NewJob job);
    Enqueued enqueue_unique(Transaction& transaction, NewJob job);

    /// Returns the key.
    std::string start_series(NewSeries series);
    std::string start_series(Transaction& transaction, NewSeries series);

    /// Runs `work` in a transaction of the job database and commits it: the app's rows and its jobs
    /// together. A conflict runs the whole work again, so it must be repeatable. Throws what `work`
    /// throws, after a rollback.
    void in_transaction(const std::function<void(Transaction&)>& work);

    // Looking and handling.

    /// The job wherever it stands; nullopt: there is none (any more).
    [[nodiscard]] std::optional<StoredJob> find(std::string_view id);

    [[nodiscard]] std::int64_t count(JobPlace place);

    /// Jobs of one place in id order, after the id `after` (exclusive; empty: from the start). Long
    /// payloads are not fetched.
    [[nodiscard]] std::vector<StoredJob>
    list(JobPlace place, std::string_view after = {}, std::size_t limit = 1000);

    /// Lists the jobs that a query selects, in its order.
    [[nodiscard]] std::vector<StoredJob> list(const JobQuery& query);
    [[nodiscard]] std::int64_t count(const JobQuery& query);

    /// Runs one executable job now, in this thread (R006), also without start().
    RunReport run_job(const std::string& id);

    /// Gives a dead letter `retries` new attempts. false: there is no such dead letter.
    bool requeue(std::string_view id, int retries = 3);

    /// Removes a job that nobody runs. false: there is none, or somebody does.
    bool remove(std::string_view id);

    /// Suspends or activates all jobs of an instance; returns how many moved. Throws
    /// std::invalid_argument for a process instance of a Flowable engine in the same database.
    std::int64_t suspend_instance(std::string_view process_instance_id);
    std::int64_t activate_instance(std::string_view process_instance_id);

    // Job definitions.

    /// Replaces what was set for this name. New jobs go by it at once here, in other processes
    /// after five seconds.
    void set_definition(const JobDefinition& definition);

    /// nullopt: nothing is set for this name.
    [[nodiscard]] std::optional<JobDefinition> find_definition(std::string_view name);

    /// Lists the definitions that are set, behind the name `after` (empty: from the start).
    [[nodiscard]] std::vector<JobDefinition>
    definitions(std::string_view after = {}, std::size_t limit = 1000);

    /// false: nothing was set. Jobs keep what they got from it.
    bool remove_definition(std::string_view name);

    /// Gives the jobs that are there the override too, but for those that run; returns how many
    /// have another priority now.
    std::int64_t cascade_override(std::string_view name);

    /// The database's time, by which due dates are judged.
    [[nodiscard]] TimePoint now() const;

private:
    friend class TestEngine;
    friend class TestNode;
    friend class ExternalWorker;
    friend class JobHistory;
    friend class Management;
    friend class NamedLock;
    friend class SeriesManagement;
    class Parts;
    explicit Engine(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace jobstrand
