#include "schema/throughput.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <ranges>

namespace jobstrand::schema {

namespace {

/// Buckets of a power of two, and the milliseconds that have one each.
constexpr std::size_t kPerPower = 4;

/// In milliseconds, the first that the bucket does not hold any more is that of the next one.
[[nodiscard]] double begin_of(std::size_t bucket) {
    if (bucket < kPerPower) {
        return static_cast<double>(bucket);
    }
    const std::size_t power = bucket / kPerPower - 1;
    const std::uint64_t step = std::uint64_t{1} << power;
    return static_cast<double>((kPerPower + bucket % kPerPower) * step);
}

}  // namespace

std::size_t TimeHistogram::bucket_of(Duration taken) {
    constexpr Duration::rep kMost = std::numeric_limits<std::uint32_t>::max();
    const auto ms = static_cast<std::uint32_t>(std::clamp<Duration::rep>(taken.count(), 0, kMost));
    if (ms < kPerPower) {
        return ms;
    }
    const auto power = static_cast<std::size_t>(std::bit_width(ms)) - 3;
    return (power + 1) * kPerPower + ((ms >> power) % kPerPower);
}

void TimeHistogram::add_to(std::size_t bucket, std::int64_t count) {
    if (bucket >= kBuckets || count <= 0) {
        return;
    }
    if (counts_.size() <= bucket) {
        counts_.resize(bucket + 1);
    }
    counts_[bucket] += count;
}

void TimeHistogram::merge(const TimeHistogram& other) {
    for (std::size_t bucket = 0; bucket < other.counts_.size(); ++bucket) {
        add_to(bucket, other.counts_[bucket]);
    }
}

std::optional<double> TimeHistogram::percentile(double share) const {
    std::int64_t total = 0;
    for (const std::int64_t count : counts_) {
        total += count;
    }
    if (total <= 0) {
        return std::nullopt;
    }
    double left = share * static_cast<double>(total);
    std::size_t bucket = 0;
    const auto is_behind = [&] {
        return counts_[bucket] == 0 || left > static_cast<double>(counts_[bucket]);
    };
    while (bucket + 1 < counts_.size() && is_behind()) {
        left -= static_cast<double>(counts_[bucket]);
        ++bucket;
    }
    const double within = std::min(1.0, left / static_cast<double>(counts_[bucket]));
    const double begin = begin_of(bucket);
    const double ms = begin + within * (begin_of(bucket + 1) - begin);
    return std::round(10 * ms) / 10'000;
}

namespace {

/// `2 2 0 0;0:1,7:1;3:2;mail`: the four counts, the two histograms as bucket and count, the type.
constexpr std::string_view kVersionLine = "throughput 1\n";

[[nodiscard]] bool is_storable(std::string_view type) {
    return std::ranges::none_of(type, [](char byte) { return byte == '\n'; });
}

void write_histogram(std::string& text, const TimeHistogram& histogram) {
    const auto counts = histogram.counts();
    std::string_view between;
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
        if (counts[bucket] != 0) {
            text += between;
            text += std::to_string(bucket) + ':' + std::to_string(counts[bucket]);
            between = ",";
        }
    }
    text += ';';
}

/// Takes what stands before `end` off the text; nullopt: it is not there.
[[nodiscard]] std::optional<std::string_view> take_until(std::string_view& text, char end) {
    const std::size_t found = text.find(end);
    if (found == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view taken = text.substr(0, found);
    text.remove_prefix(found + 1);
    return taken;
}

[[nodiscard]] std::optional<std::int64_t> count_in(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    return error == std::errc() && stop == end && count >= 0 ? std::optional(count) : std::nullopt;
}

[[nodiscard]] bool read_counts(std::string_view text, RunSums& sums) {
    const std::array<std::int64_t*, 4> into{&sums.begun, &sums.completed, &sums.failed, &sums.dead};
    std::size_t read = 0;
    for (const auto part : std::views::split(text, ' ')) {
        const auto count = count_in(std::string_view(part.begin(), part.end()));
        if (!count || read == into.size()) {
            return false;
        }
        *into.at(read++) = *count;
    }
    return read == into.size();
}

[[nodiscard]] bool read_histogram(std::string_view text, TimeHistogram& histogram) {
    for (const auto part : std::views::split(text, ',')) {
        std::string_view pair(part.begin(), part.end());
        const auto bucket = take_until(pair, ':');
        const auto index = bucket ? count_in(*bucket) : std::nullopt;
        const auto count = count_in(pair);
        if (!index || !count) {
            return text.empty();
        }
        histogram.add_to(static_cast<std::size_t>(*index), *count);
    }
    return true;
}

void read_line(std::string_view line, Throughput& throughput) {
    const auto counts = take_until(line, ';');
    const auto waited = take_until(line, ';');
    const auto ran = take_until(line, ';');
    RunSums sums;
    if (counts && waited && ran && read_counts(*counts, sums) &&
        read_histogram(*waited, sums.waited) && read_histogram(*ran, sums.ran)) {
        throughput.of(line).merge(sums);
    }
}

}  // namespace

void RunSums::merge(const RunSums& other) {
    begun += other.begun;
    completed += other.completed;
    failed += other.failed;
    dead += other.dead;
    waited.merge(other.waited);
    ran.merge(other.ran);
}

RunSums& Throughput::of(std::string_view type) {
    if (const auto found = types_.find(type); found != types_.end()) {
        return found->second;
    }
    const bool is_named = is_storable(type) && types_.size() < most_types_;
    return types_.try_emplace(is_named ? std::string(type) : std::string()).first->second;
}

void Throughput::merge(const Throughput& other) {
    for (const auto& [type, sums] : other.types_) {
        of(type).merge(sums);
    }
}

std::string text_of(const Throughput& throughput) {
    std::string text(kVersionLine);
    for (const auto& [type, sums] : throughput.types()) {
        text += std::to_string(sums.begun) + ' ' + std::to_string(sums.completed) + ' ' +
                std::to_string(sums.failed) + ' ' + std::to_string(sums.dead) + ';';
        write_histogram(text, sums.waited);
        write_histogram(text, sums.ran);
        text += type;
        text += '\n';
    }
    return text;
}

std::optional<Throughput> parse_throughput(std::string_view text) {
    if (!text.starts_with(kVersionLine)) {
        return std::nullopt;
    }
    text.remove_prefix(kVersionLine.size());
    Throughput throughput;
    while (const auto line = take_until(text, '\n')) {
        read_line(*line, throughput);
    }
    return throughput;
}

}  // namespace jobstrand::schema
