#include "tools/operations/lock_run.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::cli {

namespace {

using persistence::NamedLock;

struct LockClaim {
    std::string name;
    std::string owner;
    std::optional<schema::Duration> time;

    [[nodiscard]] persistence::NamedLockClaim claim() const {
        return {name, owner, time.value_or(std::chrono::seconds(30))};
    }
};

struct LockRelease {
    std::vector<std::string> names;
    std::string owner;
};

[[nodiscard]] const Fields<NamedLock>& lock_fields() {
    static const Fields<NamedLock> all{
        {.name = "lock", .value = &NamedLock::name, .column = {.heading = "LOCK", .width_max = 64}},
        {.name = "owner",
         .value = &NamedLock::owner,
         .column = {.heading = "OWNER", .width_max = 80}},
        {.name = "since", .value = &NamedLock::since, .column = {.heading = "SINCE"}},
        {.name = "until",
         .value = &NamedLock::until,
         .meaning = "From then on anybody may take it",
         .column = {.heading = "UNTIL"}},
        {.name = "token",
         .value = &NamedLock::token,
         .meaning = "Grows with each time that somebody takes the lock: an outside system can "
                    "refuse a smaller one",
         .column = {.heading = "TOKEN"}},
    };
    return all;
}

[[nodiscard]] Parameters<LockClaim> claim_parameters() {
    return {
        {"name",
         &LockClaim::name,
         "The lock, by any name of the app's",
         {.unit = "NAME", .is_required = true}},
        {"--owner",
         &LockClaim::owner,
         "All that says who holds it: a process or a machine",
         {.unit = "TEXT", .is_required = true}},
        {"--duration",
         &LockClaim::time,
         "How long from now, at most 30 days [30s]",
         {.unit = "DURATION"}},
    };
}

[[nodiscard]] Parameters<LockRun> run_parameters() {
    return {
        {"name",
         &LockRun::name,
         "The lock, by any name of the app's",
         {.unit = "NAME", .is_required = true}},
        {"command",
         &LockRun::command,
         "What to run, and its arguments, behind --",
         {.unit = "COMMAND", .is_required = true, .is_raw = true}},
        {"--wait",
         &LockRun::wait,
         "How long to wait for the lock; 0s: not at all [for ever]",
         {.unit = "DURATION"}},
        {"--duration",
         &LockRun::time,
         "How long it lasts when it is not renewed, which is done thrice in that time: 1s to 30 "
         "days [30s]",
         {.unit = "DURATION"}},
    };
}

[[nodiscard]] schema::Page<NamedLock> list_locks(Session& session, const PageRequest& page) {
    return schema::first_page(page.limit, [&](std::size_t limit) {
        return session.named_locks().list(page.after, limit, session.database_now());
    });
}

[[nodiscard]] NamedLock acquire_lock(Session& session, const LockClaim& wanted) {
    NamedLock lock = session.named_locks().acquire(wanted.claim(), session.database_now());
    if (lock.owner != wanted.owner) {
        throw Refused(held_by_another(lock));
    }
    return lock;
}

[[nodiscard]] std::string not_held(const std::string& name) {
    return fmt::format("{} is not held by this owner", quoted_if_needed(name));
}

[[nodiscard]] NamedLock renew_lock(Session& session, const LockClaim& wanted) {
    auto lock = session.named_locks().renew(wanted.claim(), session.database_now());
    if (!lock) {
        throw Refused(not_held(wanted.name));
    }
    return *std::move(lock);
}

void release_locks(
    Session& session,
    const LockRelease& wanted,
    const deadletter::BulkWatch& watch
) {
    for (const std::string& name : wanted.names) {
        const bool was_held =
            session.named_locks().release(name, wanted.owner, session.database_now());
        watch.on_item(
            {.id = name,
             .answer = was_held ? deadletter::ItemAnswer::done : deadletter::ItemAnswer::not_found}
        );
    }
}

}  // namespace

OperationNoun lock_noun() {
    return {
        .name = "lock",
        .summary = "Locks of an app by name: one owner holds each, until it ends",
        .examples =
            "  jobstrand lock run close-books -- ./close-books.sh\n"
            "  jobstrand lock acquire close-books --owner app-1 --duration 5m\n"
            "  jobstrand lock ls",
        .operations =
            {
                page_operation(
                    {.words = "lock ls",
                     .summary = "List the locks that somebody holds",
                     .examples = "  jobstrand lock ls\n"
                                 "  jobstrand lock ls -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/locks"},
                    page_parameters(),
                    lock_fields(),
                    list_locks
                ),
                record_operation(
                    {.words = "lock acquire",
                     .summary = "Take a lock that nobody holds, or keep one's own for longer",
                     .examples = "  jobstrand lock acquire close-books --owner app-1 --duration 5m",
                     .role = service::Role::worker,
                     .path = "POST /api/v1/locks/{lock}/acquire"},
                    claim_parameters(),
                    lock_fields(),
                    acquire_lock
                ),
                record_operation(
                    {.words = "lock renew",
                     .summary = "Hold a lock of one's own for longer, unless it is over",
                     .examples = "  jobstrand lock renew close-books --owner app-1 --duration 5m",
                     .role = service::Role::worker,
                     .path = "POST /api/v1/locks/{lock}/renew"},
                    claim_parameters(),
                    lock_fields(),
                    renew_lock
                ),
                local_operation(
                    {.words = "lock run",
                     .summary = "Run a command while a lock is held, and free it behind it",
                     .examples =
                         "  jobstrand lock run close-books -- ./close-books.sh --year 2030\n"
                         "  jobstrand lock run close-books --wait 10s -- make report\n"
                         "  jobstrand lock run close-books -- sh -c 'echo $JOBSTRAND_LOCK_TOKEN'"},
                    run_parameters(),
                    run_locked
                ),
                items_operation<LockRelease>(
                    {.words = "lock release",
                     .summary = "Free locks of one's own",
                     .examples = "  jobstrand lock release close-books --owner app-1",
                     .role = service::Role::worker,
                     .path = "DELETE /api/v1/locks/{lock}"},
                    {{"names",
                      &LockRelease::names,
                      "The locks; - reads them from stdin",
                      {.unit = "NAME", .is_required = true}},
                     {"--owner",
                      &LockRelease::owner,
                      "Who holds them",
                      {.unit = "TEXT", .is_required = true}}},
                    {.done = "released",
                     .field = "lock",
                     .why_not = [](const auto& item) { return not_held(item.id); }},
                    release_locks
                ),
            },
    };
}

}  // namespace jobstrand::cli
