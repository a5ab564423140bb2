#include "persistence/unique/take_back_keys.hpp"

#include "persistence/unique/key_holders.hpp"

#include <map>

namespace jobstrand::persistence {

namespace {

using schema::Job;

bool is_held_by_another(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    return holder != holders.end() && holder->second.job != claim.job &&
           schema::holds_key(holder->second, now);
}

/// What is left of its own period goes on to hold.
bool is_to_be_passed(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    const bool is_own_period = holder != holders.end() && holder->second.job == claim.job &&
                               holder->second.until && *holder->second.until > now;
    return holder != holders.end() && !is_own_period;
}

}  // namespace

std::vector<std::string>
take_back_keys(Transaction& transaction, std::span<const Job> dead_letters, schema::TimePoint now) {
    std::vector<std::string> refused;
    std::map<std::string_view, KeyClaim> by_key;
    for (const Job& job : dead_letters) {
        const bool is_first =
            job.unique_key.empty() ||
            by_key.emplace(job.unique_key, KeyClaim{.key = job.unique_key, .job = job.id}).second;
        if (!is_first) {
            refused.push_back(job.id);
        }
    }
    std::vector<KeyClaim> claims;
    for (const auto& [key, claim] : by_key) {
        claims.push_back(claim);
    }
    const KeyHolders holders = holders_of(transaction, claim_keys(transaction, claims));
    std::vector<KeyClaim> passed;
    for (const KeyClaim& claim : claims) {
        if (is_held_by_another(holders, claim, now)) {
            refused.emplace_back(claim.job);
        } else if (is_to_be_passed(holders, claim, now)) {
            passed.push_back(claim);
        }
    }
    pass_keys(transaction, passed);
    return refused;
}

}  // namespace jobstrand::persistence
