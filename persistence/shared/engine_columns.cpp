#include "persistence/shared/engine_columns.hpp"

#include "persistence/sql/dialect.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Job;

struct SharedColumn {
    std::string_view column;
    std::string_view expression;
};

// Rows that an app inserted itself may be ours and still name an instance of the engine.
constexpr std::array kSharedColumns{
    SharedColumn{
        "EXECUTION_ID_",
        "COALESCE(EXECUTION_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SUB_SCOPE_ID_ END)"},
    SharedColumn{
        "PROCESS_INSTANCE_ID_",
        "COALESCE(PROCESS_INSTANCE_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SCOPE_ID_ END)"},
    SharedColumn{
        "PROC_DEF_ID_",
        "COALESCE(PROC_DEF_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SCOPE_DEFINITION_ID_ "
        "END)"},
    SharedColumn{"SCOPE_ID_", "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SCOPE_ID_ END"},
    SharedColumn{
        "SUB_SCOPE_ID_",
        "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SUB_SCOPE_ID_ END"},
    SharedColumn{
        "SCOPE_DEFINITION_ID_",
        "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SCOPE_DEFINITION_ID_ END"},
};

struct MovedField {
    std::string Job::*from;
    std::string Job::*to;
    std::string_view column;
    std::string_view ours;
};

constexpr std::array kMovedFields{
    MovedField{&Job::execution_id, &Job::sub_scope_id, "EXECUTION_ID_", "SUB_SCOPE_ID_"},
    MovedField{&Job::process_instance_id, &Job::scope_id, "PROCESS_INSTANCE_ID_", "SCOPE_ID_"},
    MovedField{
        &Job::process_definition_id,
        &Job::scope_definition_id,
        "PROC_DEF_ID_",
        "SCOPE_DEFINITION_ID_"},
};

}  // namespace

std::string_view expression_for(std::string_view column, const Dialect& dialect) {
    return dialect.has_engine ? expression_in_shared_tables(column) : column;
}

std::string_view expression_in_shared_tables(std::string_view column) {
    const auto* const shared = std::ranges::find(kSharedColumns, column, &SharedColumn::column);
    return shared == kSharedColumns.end() ? column : shared->expression;
}

std::string_view our_column_for(std::string_view column, const Dialect& dialect) {
    const auto* const moved = std::ranges::find(kMovedFields, column, &MovedField::column);
    return dialect.has_engine && moved != kMovedFields.end() ? moved->ours : column;
}

bool is_of_engine(const Job& job, const Dialect& dialect) {
    return dialect.has_engine && job.scope_type != schema::kOurScope;
}

Job as_in_shared_tables(Job job) {
    if (job.scope_type != schema::kOurScope) {
        return job;
    }
    for (const MovedField& field : kMovedFields) {
        if (!(job.*field.from).empty()) {
            job.*field.to = std::move(job.*field.from);
            (job.*field.from).clear();
        }
    }
    return job;
}

std::string_view and_ours(const Dialect& dialect) {
    return dialect.has_engine ? "AND SCOPE_TYPE_ = 'jobstrand'" : "";
}

}  // namespace jobstrand::persistence
