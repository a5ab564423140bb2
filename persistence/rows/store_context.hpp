#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/rows/definition_book.hpp"
#include "persistence/rows/group_turns.hpp"
#include "persistence/rows/limit_book.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/clock.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/log.hpp"
#include "schema/series/series_schedule.hpp"
#include "schema/uuid7.hpp"

namespace jobstrand::persistence {

/// What every operation of the store works with; all of it is safe for all threads.
struct StoreContext {
    TransactionRunner& runner;
    schema::Log& log;
    const schema::SeriesSchedule& schedule;
    const schema::Clock& clock;  ///< For moves that are given no time.
    schema::FreshIds& ids;
    LimitBook& limits;
    HistoryBook& history;
    DefinitionBook& definitions;
    GroupTurns& turns;
    schema::ExclusiveOver exclusive_over = schema::ExclusiveOver::instance;
};

}  // namespace jobstrand::persistence
