#include "persistence/rows/byte_arrays.hpp"

#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Job;

constexpr std::string_view kInsertArrays = R"sql(
    INSERT INTO ACT_GE_BYTEARRAY (ID_, REV_, NAME_, BYTES_)
    VALUES {rows})sql";

constexpr std::string_view kDeleteArrays = R"sql({delete_where} ID_ IN (...))sql";

constexpr std::string_view kRead = R"sql(
    SELECT ID_, {bytes_as_text}
    FROM ACT_GE_BYTEARRAY
    WHERE ID_ IN (...))sql";

constexpr std::string_view kSizes = R"sql(
    SELECT ID_, {size}
    FROM ACT_GE_BYTEARRAY
    WHERE ID_ IN (...))sql";

/// Rows of one INSERT, unless they are large: MySQL takes 16 MiB in one packet.
constexpr std::array<std::size_t, 2> kArraysPerInsert{8, 1};
constexpr std::size_t kBytesPerInsert = 1024 * 1024;

std::size_t bytes_of(std::span<const ByteArray> arrays) {
    std::size_t bytes = 0;
    for (const ByteArray& array : arrays) {
        bytes += array.text.size();
    }
    return bytes;
}

void insert_arrays(
    Transaction& transaction,
    std::string_view name,
    std::span<const ByteArray> arrays
) {
    const std::string_view bytes = transaction.dialect().bytes_parameter;
    const std::vector<std::string> rows(arrays.size(), fmt::format("(?, 1, ?, {})", bytes));
    std::vector<Value> values;
    for (const ByteArray& array : arrays) {
        values.insert(values.end(), {Value{array.id}, Value{name}, Value{array.text}});
    }
    transaction.execute(
        fmt::format(kInsertArrays, fmt::arg("rows", fmt::to_string(fmt::join(rows, ", ")))), values
    );
}

bool has_payload_apart(const Job& job) {
    return job.payload.empty() && !job.custom_values_id.empty();
}

}  // namespace

void insert_byte_arrays(
    Transaction& transaction,
    std::string_view name,
    std::span<const ByteArray> arrays
) {
    in_parts(arrays, kArraysPerInsert, [&](std::span<const ByteArray> part) {
        const std::size_t rows = bytes_of(part) <= kBytesPerInsert ? part.size() : 1;
        for (std::size_t i = 0; i < part.size(); i += rows) {
            insert_arrays(transaction, name, part.subspan(i, rows));
        }
    });
}

void delete_byte_arrays(Transaction& transaction, std::vector<std::string_view> ids) {
    std::erase(ids, std::string_view{});
    std::sort(ids.begin(), ids.end());
    const std::string sql = delete_from(transaction.dialect(), "ACT_GE_BYTEARRAY", kDeleteArrays);
    execute_for_ids(transaction, sql, {.ids = ids});
}

void delete_byte_arrays_of(Transaction& transaction, std::span<const Job* const> jobs) {
    std::vector<std::string_view> ids;
    for (const Job* job : jobs) {
        if (!job->custom_values_id.empty()) {
            ids.emplace_back(job->custom_values_id);
        }
        if (!job->exception_stack_id.empty()) {
            ids.emplace_back(job->exception_stack_id);
        }
    }
    delete_byte_arrays(transaction, std::move(ids));
}

void store_payloads(Transaction& transaction, std::span<Job> jobs, schema::FreshIds& ids) {
    std::vector<ByteArray> payloads;
    for (Job& job : jobs) {
        job.custom_values_id.clear();
        if (is_too_long_for_row(job.payload)) {
            job.custom_values_id = ids.next();
            payloads.push_back({.id = job.custom_values_id, .text = job.payload});
        }
    }
    insert_byte_arrays(transaction, kPayloadName, payloads);
}

std::vector<std::size_t> payload_sizes(Transaction& transaction, std::span<const Job> jobs) {
    std::vector<std::size_t> sizes;
    sizes.reserve(jobs.size());
    std::map<std::string_view, std::size_t> apart;
    for (const Job& job : jobs) {
        if (has_payload_apart(job)) {
            apart.emplace(job.custom_values_id, sizes.size());
        }
        sizes.push_back(job.payload.size());
    }
    const std::vector<std::string_view> ids = keys_in(apart);
    const std::string sql =
        fmt::format(kSizes, fmt::arg("size", transaction.dialect().size_of_bytes));
    query_for_ids(transaction, {.sql = sql, .columns = 2}, {.ids = ids}, [&](const Row& row) {
        sizes[apart.at(row.text(0))] = static_cast<std::size_t>(row.integer(1));
    });
    return sizes;
}

void load_payloads(Transaction& transaction, std::span<Job> jobs) {
    // Nothing keeps a producer from naming one array in two jobs.
    std::multimap<std::string_view, Job*> missing;
    for (Job& job : jobs) {
        if (has_payload_apart(job)) {
            missing.emplace(job.custom_values_id, &job);
        }
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, job] : missing) {
        if (ids.empty() || ids.back() != id) {
            ids.push_back(id);
        }
    }
    const std::string sql =
        fmt::format(kRead, fmt::arg("bytes_as_text", transaction.dialect().bytes_as_text));
    query_for_ids(transaction, {.sql = sql, .columns = 2}, {.ids = ids}, [&](const Row& row) {
        const auto [first, last] = missing.equal_range(row.text(0));
        std::for_each(first, last, [&](const auto& entry) {
            entry.second->payload = transaction.dialect().text_of_bytes(row.text(1));
        });
    });
}

namespace {

/// How many jobs are asked for their size at once: to tell it, databases read a payload.
constexpr std::size_t kSizesAtOnce = 16;

/// How many of the first jobs have no more bytes than that.
std::size_t
fitting(Transaction& transaction, std::span<const schema::Job> jobs, std::size_t most_bytes) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (count < jobs.size()) {
        const auto rest = jobs.subspan(count);
        for (const std::size_t size :
             payload_sizes(transaction, rest.first(std::min(rest.size(), kSizesAtOnce)))) {
            bytes += size;
            if (bytes > most_bytes) {
                return count;
            }
            ++count;
        }
    }
    return count;
}

}  // namespace

bool cut_to_bytes(
    Transaction& transaction,
    std::vector<schema::Job>& jobs,
    std::size_t most_bytes
) {
    const std::size_t kept = std::max<std::size_t>(1, fitting(transaction, jobs, most_bytes));
    const bool is_cut = kept < jobs.size();
    if (is_cut) {
        jobs.resize(kept);
    }
    return is_cut;
}

void cut_to_bytes_left(
    Transaction& transaction,
    std::span<const schema::Job> page,
    std::vector<schema::Job>& besides,
    std::size_t most_bytes
) {
    const std::vector<std::size_t> sizes = payload_sizes(transaction, page);
    const std::size_t taken = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    besides.resize(fitting(transaction, besides, most_bytes - std::min(most_bytes, taken)));
}

}  // namespace jobstrand::persistence
