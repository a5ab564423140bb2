#include "schema/uuid7.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace jobstrand::schema {
namespace {

constexpr std::uint64_t kVersion = 7;
constexpr std::uint64_t kVariant = 2;
constexpr int kCounterBits = 26;
constexpr int kLowCounterBits = 14;  // Behind the variant; the other 12 stand behind the version.
constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::size_t kLength = 36;
constexpr std::array<std::size_t, 4> kHyphens{8, 13, 18, 23};
constexpr std::size_t kVersionAt = 14;  // Before it stand the milliseconds.

bool is_uuid7(std::string_view id) {
    const bool has_hyphens =
        id.size() == kLength &&
        std::ranges::all_of(kHyphens, [id](std::size_t at) { return id[at] == '-'; });
    return has_hyphens && id[kVersionAt] == '0' + kVersion &&
           std::ranges::count_if(id, [](char c) {
               return kHexDigits.find(c) != kHexDigits.npos;
           }) == kLength - kHyphens.size();
}

std::mt19937_64 randomly_seeded() {
    std::random_device device;
    std::array<std::random_device::result_type, 8> words{};
    std::ranges::generate(words, [&device] { return device(); });
    std::seed_seq sequence(words.begin(), words.end());
    return std::mt19937_64(sequence);
}

void append_hex(std::string& text, std::uint64_t bits, int digits) {
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        text += kHexDigits[(bits >> shift) & 0xFU];
    }
}

std::string text_of(std::uint64_t high, std::uint64_t low) {
    std::string text;
    text.reserve(36);
    append_hex(text, high >> 32, 8);
    text += '-';
    append_hex(text, high >> 16, 4);
    text += '-';
    append_hex(text, high, 4);
    text += '-';
    append_hex(text, low >> 48, 4);
    text += '-';
    append_hex(text, low, 12);
    return text;
}

}  // namespace

std::string first_uuid7(TimePoint time) {
    const auto ms = std::max<std::int64_t>(time.time_since_epoch().count(), 0);
    return text_of(static_cast<std::uint64_t>(ms) << 16, 0);
}

std::optional<TimePoint> time_of_uuid7(std::string_view id) {
    if (!is_uuid7(id)) {
        return std::nullopt;
    }
    std::int64_t ms = 0;
    for (const char c : id.substr(0, kVersionAt)) {
        if (c != '-') {
            ms = ms * 16 + static_cast<std::int64_t>(kHexDigits.find(c));
        }
    }
    return TimePoint{Duration{ms}};
}

Uuid7Source::Uuid7Source() : random_(randomly_seeded()) {}

Uuid7Source::Uuid7Source(std::uint64_t seed) : random_(seed) {}

std::string Uuid7Source::next(TimePoint now) {
    const std::uint64_t bits = random_();
    advance(now.time_since_epoch().count(), static_cast<std::uint32_t>(bits >> 48));

    const std::uint64_t counter = counter_;
    const std::uint64_t low_counter = counter & ((1U << kLowCounterBits) - 1);
    return text_of(
        static_cast<std::uint64_t>(last_ms_) << 16 | kVersion << 12 | counter >> kLowCounterBits,
        kVariant << 62 | low_counter << 48 | (bits & 0xFFFF'FFFF'FFFFU)
    );
}

void Uuid7Source::advance(std::int64_t now_ms, std::uint32_t new_counter) {
    if (now_ms > last_ms_) {
        last_ms_ = now_ms;
        counter_ = new_counter;
        return;
    }
    ++counter_;
    if (counter_ == 1U << kCounterBits) {
        // Borrowed from the future: ids must ascend, and the clock catches up soon.
        ++last_ms_;
        counter_ = new_counter;
    }
}

}  // namespace jobstrand::schema
