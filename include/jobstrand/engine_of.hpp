#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jobstrand {

/// To which of several databases that are worked with as one a job belongs, by the names of their
/// engines in the configuration file: that NAME whose SHA-256 of `NAME + "\n" + key` is greatest as
/// lower-case hexadecimal digits, all texts in UTF-8 (rendezvous hashing). So the order of the
/// names does not matter, and a further name takes keys from the others and moves none between
/// them.
///
/// The key of a job is its process instance id, else its unique key, else the key of its series,
/// else its id: what belongs together is in one database.
///
///     const std::vector<std::string> names{"orders-1", "orders-2"};
///     engines.at(engine_of(job.process_instance_id, names))->enqueue(job);
///
/// Every client has this function, and docs/sql.md has it in SQL. Throws std::invalid_argument when
/// there is no name. Thread safety: safe.
[[nodiscard]] std::string engine_of(std::string_view key, std::span<const std::string> names);

}  // namespace jobstrand
