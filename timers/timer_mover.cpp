#include "timers/timer_mover.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace jobstrand::timers {

namespace {

using persistence::DueTimers;
using persistence::DueWindow;
using persistence::PageLimit;

/// The wait when timers are due that cannot be moved: another node is moving them right now.
constexpr schema::Duration kContendedWait = std::chrono::milliseconds(20);

/// How often a look for timers that others serve begins at the oldest: some are committed late. It
/// reads all that wait, which may be many.
constexpr schema::Duration kLookAtAll = std::chrono::minutes(1);

/// How long an idle acquisition may take to look around that has heard of the same news, or looks
/// as often as the mover; and which part of the mover's wait that may be.
constexpr schema::Duration kUntilView = std::chrono::milliseconds(20);
constexpr int kPartForView = 100;

}  // namespace

schema::Duration TimerMover::run_once() {
    begin_at_the_oldest_if_need_be();
    const bool is_from_the_oldest = !start_.begin().from;
    if (is_from_the_oldest) {
        if (const auto wait = until_view(); wait > schema::Duration{0}) {
            return wait;
        }
        const std::optional<schema::TimePoint> due = first_due();
        const schema::TimePoint now = use_.clock.now();
        if (!due || *due > now) {
            awaits_room_ = false;
            schema::Duration wait = settings_.wait - look_age_;
            if (put_off_until_) {
                const auto until_all =
                    std::chrono::ceil<schema::Duration>(*put_off_until_ - use_.clock.steady_now());
                wait = std::clamp(until_all, schema::Duration{0}, wait);
            }
            return due ? std::min(wait, *due - now) : wait;
        }
    }
    const std::optional<PageLimit> room = ask_for_room();
    begin_at_the_oldest_if_need_be();  // What found no room after all is stored before the answer.
    if (room && room->jobs == 0) {
        return move_others();
    }
    const DueLook look = start_.begin();
    const bool is_part_of_all = !is_from_the_oldest || look.round;
    const bool has_moved_some = move_page(look, room) > 0;
    return has_moved_some || is_part_of_all ? schema::Duration{0}
                                            : std::min(settings_.wait, kContendedWait);
}

std::optional<schema::TimePoint> TimerMover::first_due() {
    if (const auto seen = due_as_seen()) {
        first_due_ = seen->due;
        look_age_ = seen->age;
        none_before_ = std::min(seen->due.value_or(seen->at), seen->at) - executor::kUsualCommit;
        return first_due_;
    }
    const schema::TimePoint now = use_.clock.now();
    look_age_ = schema::Duration{0};
    if (!searches_ || !search_for_recent()) {
        const schema::SteadyPoint began = use_.clock.steady_now();
        const bool is_full = !none_before_ || full_looks_.may_begin(began);
        first_due_ =
            use_.store.next_due(*use_.intake.served(), is_full ? std::nullopt : none_before_);
        if (is_full) {
            full_looks_.was_done(began, use_.clock.steady_now() - began);
            put_off_until_.reset();
        }
    }
    none_before_ = std::min(first_due_.value_or(now), now) - executor::kUsualCommit;
    return first_due_;
}

/// Whether it took so long that it stands for the first look.
bool TimerMover::search_for_recent() {
    const auto served = use_.intake.served();
    const schema::TimePoint now = use_.clock.now();
    const auto search = executor::search_recent(use_.clock, [&](schema::Duration age) {
        first_due_ = use_.store.next_due(*served, now - age);
    });
    searches_ = false;
    if (search) {
        full_looks_.was_put_off(search->began, search->took);
        put_off_until_ = search->began + full_looks_.rest();
    }
    return search.has_value();
}

// A look that is dear is left to who knows where to begin.
std::optional<executor::LastView::NextDue> TimerMover::due_as_seen() const {
    if (use_.view == nullptr || !full_looks_.are_cheap()) {
        return std::nullopt;
    }
    const auto seen = use_.view->next_due(news_at_, use_.clock.steady_now());
    return seen && seen->age < settings_.wait ? seen : std::nullopt;
}

// Not beyond what is known to be due.
schema::Duration TimerMover::until_view() {
    if (!is_view_to_come()) {
        return schema::Duration{0};
    }
    const schema::Duration wait = std::min(settings_.wait / kPartForView, kUntilView);
    return first_due_ ? std::min(wait, *first_due_ - use_.clock.now()) : wait;
}

// The acquisition looks around now, if it is idle; once, the mover waits for that.
bool TimerMover::is_view_to_come() {
    const bool is_news_of_others = is_news_of_others_.exchange(false);
    if (use_.view == nullptr) {
        return false;
    }
    const schema::SteadyPoint now = use_.clock.steady_now();
    const auto seen = use_.view->next_due(news_at_, now);
    const bool is_to_come =
        seen ? seen->age >= settings_.wait : is_news_of_others && use_.view->is_recent(now);
    is_waiting_for_view_ = is_to_come && !is_waiting_for_view_;
    return is_waiting_for_view_;
}

// nullopt: everything goes, and arrives free.
std::optional<PageLimit> TimerMover::ask_for_room() {
    if (use_.intake.served()->types.empty()) {
        return std::nullopt;
    }
    awaits_room_ = true;  // Before the answer, behind which the news that there is room may come.
    const std::optional<PageLimit> room = use_.intake.room_for_timers(settings_.page);
    awaits_room_ = room && room->jobs == 0;
    return room;
}

void TimerMover::timer_was_stored(schema::TimePoint due) noexcept {
    look_again();
    schema::TimePoint earliest = earliest_stored_;
    while (due < earliest && !earliest_stored_.compare_exchange_weak(earliest, due)) {
    }
}

void TimerMover::look_again() noexcept {
    news_at_ = use_.clock.steady_now();
}

void TimerMover::others_may_have_stored() noexcept {
    look_again();
    is_news_of_others_ = true;
}

void TimerMover::begin_at_the_oldest_if_need_be() {
    const schema::TimePoint stored = earliest_stored_.exchange(schema::TimePoint::max());
    start_.stored(stored);
    if (none_before_) {
        none_before_ = std::min(*none_before_, stored);
    }
    if (stored != schema::TimePoint::max()) {
        first_due_ = std::min(first_due_.value_or(stored), stored);
    }
}

// Of two that move at a time each leaves the other room for a page.
schema::Duration TimerMover::move_beside() {
    std::optional<PageLimit> room;
    if (!use_.intake.served()->types.empty()) {
        room = use_.intake.room_for_timers(2 * settings_.page);
    }
    if (room && room->jobs / 2 < settings_.page) {
        return executor::kUntilWoken;
    }
    const std::optional<DueLook> look = start_.begin_beside();
    if (!look) {
        return executor::kUntilWoken;
    }
    if (room) {
        room->jobs = settings_.page;
    }
    return move_page(*look, room) > 0 ? schema::Duration{0} : executor::kUntilWoken;
}

std::size_t TimerMover::move_page(const DueLook& look, const std::optional<PageLimit>& room) {
    const schema::TimePoint now = use_.clock.now();
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    std::optional<persistence::LockClaim> claim;
    if (room) {
        claim = claim_for(use_.intake, use_.clock);
    }
    DueWindow window{now, settings_.fire_ahead, look.from};
    // The second mover always begins behind a page, so it does not touch what the strand owns.
    if (!look.from && !full_looks_.are_cheap()) {
        window.from = first_due_;
    }
    window.as_of = look.round;
    const auto move = [&] {
        return move_found(look, window, room.value_or(settings_.page), claim);
    };
    std::optional<DueTimers> due =
        claim ? executor::run_claim(use_.intake, claim->until, locked_at, move) : move();
    if (!due) {
        return 0;
    }
    const std::size_t moved = due->moved;
    hand_over(*std::move(due), locked_at);
    return moved;
}

DueTimers TimerMover::move_found(
    const DueLook& look,
    DueWindow window,
    const PageLimit& limit,
    const std::optional<persistence::LockClaim>& claim
) {
    if (limit.jobs >= settings_.page) {
        window.when_found = [&, now = window.now](schema::TimePoint end) {
            start_.found(look, end, now);
            use_.wake_ups.due_timers_pile_up();
        };
    }
    // Defended catch: what was found has moved the next look on.
    try {
        DueTimers due = use_.store.move_due_timers(window, limit, claim, *use_.intake.served());
        const bool is_full = due.moved >= limit.jobs || due.is_cut;
        start_.ended(look, is_full ? due.end : std::nullopt, window.now);
        return due;
    } catch (...) {
        start_.failed();
        throw;
    }
}

// They may come in between those that wait, so these are read once, and again from time to time.
schema::Duration TimerMover::move_others() {
    const auto served = use_.intake.served();
    const schema::TimePoint now = use_.clock.now();
    const schema::SteadyPoint steady_now = use_.clock.steady_now();
    if (!only_served_until_ || steady_now - looked_at_all_ >= kLookAtAll) {
        only_served_until_.reset();
        looked_at_all_ = steady_now;
    }
    const std::optional<schema::TimePoint> first =
        use_.store.next_due_of_others(*served, only_served_until_, now + settings_.wait);
    only_served_until_ = std::min(first.value_or(now), now);
    if (!first || *first > now) {
        return first ? *first - now : settings_.wait;
    }
    DueWindow window{now, settings_.fire_ahead, first};
    window.are_served_left = true;
    DueTimers due = use_.store.move_due_timers(window, settings_.page, std::nullopt, *served);
    const bool has_moved_some = due.moved > 0;
    hand_over(std::move(due), steady_now);
    return has_moved_some ? schema::Duration{0} : std::min(settings_.wait, kContendedWait);
}

void TimerMover::hand_over(DueTimers due, schema::SteadyPoint locked_at) {
    moved_ += due.moved;
    const bool is_any_free = due.locked.size() < due.moved;
    if (!due.locked.empty()) {
        use_.intake.accept(std::move(due.locked), locked_at);
    }
    if (is_any_free) {
        use_.wake_ups.jobs_are_there();
        use_.wake_ups.external_jobs_are_there();  // Which of the two, nobody has looked at.
    }
}

}  // namespace jobstrand::timers
