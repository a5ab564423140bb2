#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace jobstrand::executor {

/// Lets several strands claim pages of jobs that have to be handed over in the order in which they
/// were found: one looks while the one before it writes its locks.
///
/// Who fails, or has to begin anew, frees rows that those behind have passed over. So these claim
/// nothing, and look again behind it.
///
/// Thread safety: safe.
class ClaimLine final {
public:
    /// A claim, from before its first look until its jobs are handed over. Thread safety: none.
    class Place final {
    public:
        /// Waits until no claim looks any more.
        explicit Place(ClaimLine& line);
        ~Place();

        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        /// A transaction begins. Keep what this returns until it has ended, however it does. From
        /// the second one on, this waits until those of the claims behind have been rolled back.
        /// Throws NothingClaimed when a claim in front has begun anew or failed.
        [[nodiscard]] std::shared_ptr<const void> begin();

        /// The rows of its page are locked: the next one may look.
        void found();

        /// Call before the commit: waits until the claims in front are over. Throws NothingClaimed
        /// when one of them has failed or begun anew, or takes longer than a second.
        void wait_for_former();

        /// Its jobs are where they are to be. A claim that is over without this has failed.
        void handed_over() { is_handed_over_ = true; }

    private:
        class Try;

        void outdate_those_behind();
        [[nodiscard]] bool is_first() const { return line_.places_.front() == this; }
        [[nodiscard]] bool are_all_behind_rolled_back() const;

        ClaimLine& line_;
        bool has_begun_ = false;
        bool is_handed_over_ = false;

        // Guarded by the mutex of the line.
        bool looks_ = true;
        bool is_in_transaction_ = false;
        bool is_outdated_ = false;  ///< What it has found is not what stands behind the former.
    };

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Place*> places_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::executor
