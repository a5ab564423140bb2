#include "persistence/claims/claim_text.hpp"

#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

namespace jobstrand::persistence {

namespace {

// Each id is told by how many characters it shares with the one before, how many follow, and these.
// The two counts are one character each, from `0` on; ids have 64 characters at most. Where the
// revision is another one than before, it stands in front, between `#` and `;`.
constexpr char kZero = '0';
constexpr std::size_t kMostInOne = 'z' - kZero;
constexpr char kRevision = '#';
constexpr char kEndOfRevision = ';';

[[noreturn]] void refuse_text() {
    throw DbError(DbErrorKind::unreadable, "a row of JS_CLAIM does not name jobs");
}

char told(std::size_t count) {
    return static_cast<char>(kZero + static_cast<char>(count));
}

std::string_view take(std::string_view& text, std::size_t length) {
    if (length > text.size()) {
        refuse_text();
    }
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(length);
    return taken;
}

std::size_t take_count(std::string_view& text) {
    const char told_as = take(text, 1).front();
    if (told_as < kZero) {
        refuse_text();
    }
    return static_cast<std::size_t>(told_as - kZero);
}

int take_revision(std::string_view& text) {
    const std::size_t end = text.find(kEndOfRevision);
    const std::string_view digits = take(text, std::min(end, text.size()));
    int revision = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), revision).ec;
    if (error != std::errc{}) {
        refuse_text();
    }
    (void)take(text, 1);
    return revision;
}

std::size_t count_shared(std::string_view before, std::string_view id) {
    const auto [end, other] = std::ranges::mismatch(before, id);
    return std::min(static_cast<std::size_t>(end - before.begin()), kMostInOne);
}

}  // namespace

bool is_named(const ClaimedJobs& jobs, std::string_view id, std::int64_t revision) {
    const auto [first, last] = jobs.equal_range(id);
    return std::any_of(first, last, [&](const auto& job) { return job.second == revision; });
}

std::string claim_text_of(std::span<const schema::Job> jobs) {
    constexpr std::size_t kUsualEntry = 32;
    std::string text;
    text.reserve(jobs.size() * kUsualEntry);
    std::string_view before;
    int revision = 1;
    for (const schema::Job& job : jobs) {
        if (job.revision != revision) {
            revision = job.revision;
            text.append(1, kRevision).append(std::to_string(revision)).append(1, kEndOfRevision);
        }
        const std::string_view id = job.id;
        const std::size_t shared = count_shared(before, id);
        text.append(1, told(shared)).append(1, told(id.size() - shared)).append(id.substr(shared));
        before = id;
    }
    return text;
}

void read_claim_text(std::string_view text, ClaimedJobs& jobs) {
    std::string id;
    int revision = 1;
    while (!text.empty()) {
        if (text.front() == kRevision) {
            text.remove_prefix(1);
            revision = take_revision(text);
        }
        const std::size_t shared = take_count(text);
        const std::size_t length = take_count(text);
        if (shared > id.size()) {
            refuse_text();
        }
        id.resize(shared);
        id += take(text, length);
        jobs.emplace_hint(jobs.end(), id, revision);
    }
}

}  // namespace jobstrand::persistence
