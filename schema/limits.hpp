#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every upper bound of the project, with its unit and its reason. Input beyond a bound is refused
/// at the edge; text that the program itself produces (messages, stack traces) is cut.
namespace jobstrand::schema::limits {

/// Characters of ids (ID_, PROCESS_INSTANCE_ID_, ...): the columns are varchar(64).
inline constexpr std::size_t kIdLength = 64;

/// Characters of short texts (categories, handler types, element ids, ...): varchar(255).
inline constexpr std::size_t kNameLength = 255;

/// Names in one list of a job, and characters of the whole list (varchar(1000)): a row of MySQL has
/// 65,535 bytes, of which the other texts take four fifths.
inline constexpr std::size_t kNamesOfList = 100;
inline constexpr std::size_t kNameListLength = 1000;

/// Characters of payload kept in HANDLER_CFG_ (varchar(4000)); longer payloads go to
/// ACT_GE_BYTEARRAY.
inline constexpr std::size_t kInlinePayloadLength = 4000;

/// Bytes of one payload. A job is a message, not a file; half of 16 MiB, MySQL's common packet
/// limit.
inline constexpr std::size_t kPayloadBytes = std::size_t{8} * 1024 * 1024;

/// Characters of EXCEPTION_MSG_, as Flowable cuts it (reference: its job entity, 2,000 of 4,000).
inline constexpr std::size_t kExceptionMessageLength = 2000;

/// Arrays and objects inside of each other in a JSON text that somebody hands in. Parsers of other
/// languages stop there as well (Jackson: 1,000; Python: its own stack).
inline constexpr std::size_t kJsonDepth = 1000;

/// Bytes of a stack trace or captured output: the last 64 KiB tell what went wrong.
inline constexpr std::size_t kExceptionDetailsBytes = std::size_t{64} * 1024;

/// Ids in one `IN (...)` list. Longer lists are cut into several statements.
inline constexpr std::size_t kIdsPerStatement = 512;

/// Rows of one SELECT that may find very many: the result stays small, and Vitess refuses one of
/// more than 10,000 (vttablet's --queryserver-config-max-result-size).
inline constexpr std::size_t kRowsPerSelect = 5'000;

/// Conditions of one filter of jobs. SQLite nests them, 1,000 at most.
inline constexpr std::size_t kFilterConditions = 500;

/// Values in all conditions of one filter of jobs: each is a parameter, of which a statement of
/// MySQL or PostgreSQL has 65,535 at most.
inline constexpr std::size_t kFilterValues = 10'000;

/// Jobs that one transaction may insert, move or delete; keeps locks and undo short.
inline constexpr std::size_t kJobsPerTransaction = 1000;

/// Values of one field that a node may be limited to: each is a parameter of every acquisition.
inline constexpr std::size_t kScopeValues = 100;

/// Characters of the name of an external worker: LOCK_OWNER_ is varchar(255), and the lock of a
/// group adds a word to it.
inline constexpr std::size_t kWorkerLength = 200;

/// Topics that a worker asks for at once.
inline constexpr std::size_t kTopicsOfWorker = 100;

/// Jobs that a worker takes, or writes about, in one call.
inline constexpr std::size_t kJobsOfWorker = 10'000;

/// Bytes of payloads that a worker takes in one call.
inline constexpr std::size_t kBytesOfWorker = std::size_t{16} * 1024 * 1024;

/// The longest lock of an external worker: a job of one that died waits so long for another one.
inline constexpr std::chrono::hours kWorkerLock{24 * 30};

/// The longest period for which a unique key is held: ten years. Who means for ever means an id.
inline constexpr std::chrono::hours kUniquePeriod{24 * 3660};

/// Attempts in a retry cycle; more is a typing error.
inline constexpr int kRetryAttempts = 100'000;

/// Intervals in a comma-separated retry list; the text must fit varchar(255) as well.
inline constexpr std::size_t kRetryIntervals = 64;

}  // namespace jobstrand::schema::limits
