"""All that the service does, and what it answers.

Written by tools/clients/write_operations.py from the description of a service (GET /api/v1/openapi.json).
"""
# pylint: skip-file
from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

from .calls import Call, CarryOut, Duration, Instant, Instants, Item, M, Noun, Texts, listing, operation

Job = TypedDict("Job", {"id": "Optional[str]", "correlationId": "Optional[str]", "place": "str", "handlerType": "Optional[str]",
    "payload": "Any", "dueDate": "Optional[str]", "repeat": "Optional[str]", "retries": "int", "retryCycle": "Optional[str]",
    "priority": "int", "processInstanceId": "Optional[str]", "rootProcessInstanceId": "Optional[str]",
    "processDefinitionId": "Optional[str]", "executionId": "Optional[str]", "elementId": "Optional[str]",
    "elementName": "Optional[str]", "category": "Optional[str]", "tenantId": "Optional[str]", "exclusive": "bool",
    "uniqueKey": "Optional[str]", "createTime": "Optional[str]", "lockOwner": "Optional[str]",
    "lockExpirationTime": "Optional[str]", "exceptionMessage": "Optional[str]", "series": "Optional[str]", "attempts": "int",
    "failedTime": "Optional[str]", "traceparent": "Optional[str]", "callingInstances": "List[str]",
    "candidateUsers": "List[str]", "candidateGroups": "List[str]"})
JobExplain = TypedDict("JobExplain", {"id": "str", "code": "str", "text": "str", "advice": "Optional[str]", "reasons": "Any",
    "facts": "Dict[str, Any]"})
JobSetAnswer = TypedDict("JobSetAnswer", {"set": "int", "locked": "int", "refused": "int", "batch": "str", "total": "int",
    "items": "List[IdAnswer]"}, total=False)
IdAnswer = TypedDict("IdAnswer", {"id": "str", "answer": "str", "why": "Optional[str]"})
JobRmAnswer = TypedDict("JobRmAnswer", {"removed": "int", "locked": "int", "refused": "int", "batch": "str", "total": "int",
    "items": "List[IdAnswer]"}, total=False)


class Timer(Job):
    group: Optional[str]
    description: Optional[str]
    state: str
    previousFire: Optional[str]
    nextFire: Optional[str]
    fireCount: Optional[int]
    zone: Optional[str]
    dst: Optional[str]
    calendar: Optional[str]
    start: Optional[str]
    end: Optional[str]
    misfire: Optional[str]
    misfireThreshold: Optional[str]
    overlap: Optional[bool]
    keepData: Optional[bool]
    recovery: Optional[bool]
    stopOnDeadLetter: Optional[bool]
    unreadableSeries: Optional[str]


class TimerShow(Timer):
    exceptionDetails: Optional[str]


TimerRmAnswer = TypedDict("TimerRmAnswer", {"removed": "int", "locked": "int", "refused": "int", "batch": "str", "total": "int",
    "items": "List[IdAnswer]"}, total=False)
TimerNext = TypedDict("TimerNext", {"time": "str"})
Series = TypedDict("Series", {"series": "str", "group": "str", "description": "Optional[str]", "handlerType": "Optional[str]",
    "repeat": "Optional[str]", "state": "str", "previousFire": "Optional[str]", "nextFire": "Optional[str]", "fireCount": "int",
    "zone": "str", "dst": "str", "calendar": "Optional[str]", "start": "Optional[str]", "end": "Optional[str]",
    "misfire": "Optional[str]", "misfireThreshold": "Optional[str]", "overlap": "bool", "keepData": "bool", "recovery": "bool",
    "stopOnDeadLetter": "bool", "retries": "int", "totalTurns": "Optional[int]", "turnsTaken": "int", "turnId": "Optional[str]",
    "createTime": "Optional[str]", "unreadableSeries": "Optional[str]"})
SeriesAnswer = TypedDict("SeriesAnswer", {"series": "str", "answer": "str", "why": "Optional[str]"})
Group = TypedDict("Group", {"id": "str", "series": "int", "paused": "bool", "pausedSince": "Optional[str]"})
GroupPause = TypedDict("GroupPause", {"id": "str", "moved": "int", "job": "str", "due": "str"}, total=False)
Calendar = TypedDict("Calendar", {"calendar": "str", "text": "str"})
CalendarSet = TypedDict("CalendarSet", {"calendar": "str", "series": "int"})


class Dead(Job, total=False):
    exceptionDetails: Optional[str]


DeadGroups = TypedDict("DeadGroups", {"group": "str", "jobs": "int", "handlerType": "Optional[str]",
    "errorClass": "Optional[str]", "message": "Optional[str]", "firstFailedTime": "Optional[str]",
    "lastFailedTime": "Optional[str]", "exampleId": "str", "lookedAt": "Optional[int]"})
DeadRequeueAnswer = TypedDict("DeadRequeueAnswer", {"requeued": "int", "skipped": "int", "refused": "int", "batch": "str",
    "total": "int", "items": "List[IdAnswer]"}, total=False)
DeadRmAnswer = TypedDict("DeadRmAnswer", {"removed": "int", "skipped": "int", "refused": "int", "batch": "str", "total": "int",
    "items": "List[IdAnswer]"}, total=False)
Batch = TypedDict("Batch", {"id": "str", "operation": "str", "place": "str", "state": "str", "total": "int", "done": "int",
    "skipped": "int", "refused": "int", "selection": "str", "group": "Optional[str]", "retries": "Optional[int]",
    "priority": "Optional[int]", "dueDate": "Optional[str]", "spread": "Optional[str]", "rate": "Optional[int]",
    "who": "Optional[str]", "reason": "Optional[str]", "createTime": "str", "endTime": "Optional[str]",
    "cursor": "Optional[str]"})
BatchRm = TypedDict("BatchRm", {"removed": "int"})
BatchResume = TypedDict("BatchResume", {"batch": "str", "total": "int", "requeued": "int", "removed": "int", "set": "int",
    "skipped": "int", "locked": "int", "refused": "int"}, total=False)
Instance = TypedDict("Instance", {"id": "str", "suspended": "bool", "suspendedSince": "Optional[str]",
    "places": "Dict[str, Any]"})
DefinitionSettings = TypedDict("DefinitionSettings", {"name": "str", "processDefinitionId": "str", "elementId": "Optional[str]",
    "handlerType": "Optional[str]", "priority": "Optional[str]", "overridePriority": "Optional[int]",
    "retryCycle": "Optional[str]", "category": "Optional[str]", "exclusive": "Optional[bool]"})
Limit = TypedDict("Limit", {"limit": "str", "concurrent": "Optional[int]", "perNode": "Optional[int]", "rate": "Optional[str]",
    "running": "int", "waiting": "int"})
LimitSet = TypedDict("LimitSet", {"limit": "str", "concurrent": "Optional[int]", "perNode": "Optional[int]",
    "rate": "Optional[str]"})
Lock = TypedDict("Lock", {"lock": "str", "owner": "str", "since": "str", "until": "str", "token": "int"})
Node = TypedDict("Node", {"node": "str", "state": "str", "running": "int", "workers": "int", "held": "int", "started": "str",
    "leaseUntil": "str", "standstill": "Optional[str]", "host": "str", "process": "int", "version": "str",
    "handlerTypes": "List[str]", "scope": "Optional[Dict[str, Any]]", "acquiresJobs": "bool", "movesTimers": "bool"})
Type = TypedDict("Type", {"handlerType": "str", "place": "str", "jobs": "int", "runsLastMinute": "Optional[int]",
    "failedLastMinute": "Optional[int]", "locked": "int", "oldest": "Optional[str]", "lockedBy": "Any",
    "lookedAt": "Optional[int]"})
Rate = TypedDict("Rate", {"time": "str", "seconds": "int", "begun": "int", "completed": "int", "failed": "int", "dead": "int",
    "waitP50": "Optional[float]", "waitP95": "Optional[float]", "waitP99": "Optional[float]", "runP50": "Optional[float]",
    "runP95": "Optional[float]", "runP99": "Optional[float]"})
RateTypes = TypedDict("RateTypes", {"type": "str", "begun": "int", "completed": "int", "failed": "int", "dead": "int",
    "waitP50": "Optional[float]", "waitP95": "Optional[float]", "waitP99": "Optional[float]", "runP50": "Optional[float]",
    "runP95": "Optional[float]", "runP99": "Optional[float]"})
Log = TypedDict("Log", {"id": "str", "time": "str", "event": "str", "reason": "Optional[str]", "jobId": "str",
    "attempt": "Optional[int]", "retries": "int", "handlerType": "Optional[str]", "exceptionMessage": "Optional[str]",
    "durationMs": "Optional[int]", "node": "Optional[str]", "priority": "int", "dueDate": "Optional[str]",
    "processInstanceId": "Optional[str]", "rootProcessInstanceId": "Optional[str]", "processDefinitionId": "Optional[str]",
    "jobDefinitionId": "Optional[str]", "executionId": "Optional[str]", "elementId": "Optional[str]",
    "tenantId": "Optional[str]"})


class LogShow(Log):
    exceptionDetails: Optional[str]


Incident = TypedDict("Incident", {"group": "str", "incidents": "int", "handlerType": "Optional[str]",
    "errorClass": "Optional[str]", "message": "Optional[str]", "firstTime": "Optional[str]", "lastTime": "Optional[str]",
    "exampleJobId": "str"})
IncidentOther = TypedDict("IncidentOther", {"jobId": "str", "id": "str", "time": "str", "type": "str", "cause": "Optional[str]",
    "message": "Optional[str]", "handlerType": "Optional[str]", "processInstanceId": "Optional[str]",
    "rootProcessInstanceId": "Optional[str]", "callingInstances": "List[str]", "causeIncidentId": "str",
    "causeIncidentProcessInstanceId": "Optional[str]", "rootCauseIncidentId": "str",
    "rootCauseIncidentProcessInstanceId": "Optional[str]", "processDefinitionId": "Optional[str]",
    "jobDefinitionId": "Optional[str]", "executionId": "Optional[str]", "elementId": "Optional[str]",
    "tenantId": "Optional[str]", "node": "Optional[str]", "annotation": "Optional[str]", "endTime": "Optional[str]",
    "resolution": "Optional[str]"})
IncidentResolveAnswer = TypedDict("IncidentResolveAnswer", {"resolved": "int", "items": "List[JobIdAnswer]"}, total=False)
Audit = TypedDict("Audit", {"id": "str", "time": "str", "who": "str", "via": "str", "action": "str",
    "arguments": "Optional[str]", "reason": "Optional[str]", "result": "Optional[str]", "changed": "Optional[int]"})
Top = TypedDict("Top", {"now": "str", "runsLastMinute": "int", "failedLastMinute": "int", "runsPerSecond": "float",
    "failedPerSecond": "float", "dueWithinMinute": "int", "waitingForOthers": "int", "waitingForLimits": "int", "places": "Any",
    "nodes": "Any", "types": "Any", "external": "Any"})
Doctor = TypedDict("Doctor", {"check": "str", "level": "str", "text": "str", "advice": "Optional[str]"})
Config = TypedDict("Config", {"db": "str", "passwordFile": "str", "passwordCommand": "str", "logLevel": "str",
    "logFormat": "str", "asyncExecutorActivate": "bool", "create": "bool", "databaseSchemaUpdate": "bool", "httpListen": "str",
    "httpTokenFile": "str", "httpHiddenMembers": "str", "httpCertificateFile": "str", "httpKeyFile": "str",
    "httpMaxConnections": "int", "httpMaxBodyBytes": "int", "spreadOver": "str", "otlpEndpoint": "str",
    "otlpServiceName": "str", "lockOwner": "str", "corePoolSize": "int", "maxPoolSize": "int", "keepAlive": "str",
    "queueSize": "int", "maxAsyncRuns": "int", "queueBytes": "int", "maxAsyncJobsDuePerAcquisition": "int",
    "maxBytesPerAcquisition": "int", "acquireAhead": "str", "acquireFirstWait": "str", "defaultAsyncJobAcquireWaitTime": "str",
    "defaultQueueSizeFullWaitTime": "str", "exclusiveOverHierarchies": "bool", "instancesTogether": "bool",
    "asyncJobAcquisitionEnabled": "bool", "timerJobAcquisitionEnabled": "bool", "resetExpiredJobEnabled": "bool",
    "maxTimerJobsPerAcquisition": "int", "defaultTimerJobAcquireWaitTime": "str", "timerFireAheadWindow": "str",
    "misfireThreshold": "str", "asyncJobLockTime": "str", "lockGranularity": "str", "timerLockTime": "str", "nodeLease": "str",
    "resetExpiredJobsInterval": "str", "resetExpiredJobsPageSize": "int", "awaitTerminationPeriod": "str",
    "jobTimeLimit": "str", "externalTimeLimits": "str", "maxLostStarts": "int", "numberOfRetries": "int",
    "asyncFailedJobWaitTime": "str", "defaultFailedJobWaitTime": "str", "failedJobRetryTimeCycle": "str",
    "producePrioritizedJobs": "bool", "batchJobPriority": "int", "recordDefinitions": "bool",
    "tolerateFailedExpressions": "bool", "acquireByPriority": "bool", "preferTimerJobs": "bool", "acquireByDueDate": "bool",
    "tenantsInTurn": "bool", "priorityAging": "str", "priorityRangeMin": "int", "priorityRangeMax": "int",
    "enabledJobCategories": "str", "enabledTenants": "str", "enabledDefinitions": "str", "jobLog": "str",
    "jobLogRetention": "str", "jobLogMaxRows": "int", "lastRuns": "int", "lastRunsRetention": "str",
    "deadLetterRetention": "str", "deadLetterMaxRows": "int", "historyCleanupEnabled": "bool",
    "historyCleanupBatchWindowStartTime": "str", "historyCleanupBatchWindowEndTime": "str", "historyCleanupJobPriority": "int",
    "incidents": "bool", "incidentTarget": "str", "commands": "Dict[str, Any]", "targets": "Dict[str, Any]",
    "definitions": "Dict[str, Any]", "requeues": "Dict[str, Any]"}, total=False)
JobIdAnswer = TypedDict("JobIdAnswer", {"jobId": "str", "answer": "str", "why": "Optional[str]"})


class JobsApi(Noun[M]):
    """/api/v1/jobs"""

    @listing
    def list(self, *, place: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None,
             sort: Optional[str] = None, order: Optional[str] = None, skip: Optional[int] = None, soon: bool = False,
             locked: bool = False, with_exception: bool = False, without: Optional[str] = None, type: Optional[Texts] = None,
             instance: Optional[Texts] = None, definition: Optional[Texts] = None, element: Optional[Texts] = None,
             category: Optional[Texts] = None, tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None,
             error: Optional[Texts] = None, created_before: Optional[Instants] = None, created_after: Optional[Instants] = None,
             due_before: Optional[Instants] = None, due_after: Optional[Instants] = None,
             failed_before: Optional[Instants] = None, failed_after: Optional[Instants] = None,
             unique_key: Optional[Texts] = None, root_instance: Optional[Texts] = None, execution: Optional[Texts] = None,
             element_name: Optional[Texts] = None, series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
             retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
             priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
             where: Optional[Texts] = None, free: bool = False, without_exception: bool = False) -> Item[Job]:
        """Jobs of a place in the order of their ids, page by page (role read)."""
        return Item("GET", "/api/v1/jobs", locals())

    @operation
    def get(self, id: str) -> Call[Job]:
        """A job wherever it stands, with the details of its last failure (role read)."""
        return Call("GET", "/api/v1/jobs/{id}", locals())

    @operation
    def explain(self, id: str) -> Call[JobExplain]:
        """Tell why a job does not run now, and what to do (role read)."""
        return Call("GET", "/api/v1/jobs/{id}/explanation", locals())

    @operation
    def set(self, ids: Optional[Texts] = None, *, place: Optional[str] = None, retries: Optional[int] = None,
            priority: Optional[int] = None, payload: Optional[str] = None, retry_cycle: Optional[str] = None,
            due: Optional[Instant] = None, due_in: Optional[Duration] = None, zone: Optional[str] = None,
            calendar: Optional[str] = None, all: bool = False, dry_run: bool = False, type: Optional[Texts] = None,
            instance: Optional[Texts] = None, definition: Optional[Texts] = None, element: Optional[Texts] = None,
            category: Optional[Texts] = None, tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None,
            error: Optional[Texts] = None, created_before: Optional[Instants] = None, created_after: Optional[Instants] = None,
            due_before: Optional[Instants] = None, due_after: Optional[Instants] = None,
            failed_before: Optional[Instants] = None, failed_after: Optional[Instants] = None,
            unique_key: Optional[Texts] = None, root_instance: Optional[Texts] = None, execution: Optional[Texts] = None,
            element_name: Optional[Texts] = None, series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
            retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
            priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
            where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
            with_exception: bool = False, without_exception: bool = False, background: bool = False) -> Call[JobSetAnswer]:
        """Change jobs that no node holds (role admin)."""
        return Call("POST", "/api/v1/jobs/set", locals(), has_consent=True)

    @operation
    def cancel(self, ids: Texts, *, reason: str, by: Optional[str] = None) -> Call[List[IdAnswer]]:
        """Make dead letters of jobs, also of those that run: they are told to stop (role admin)."""
        return Call("POST", "/api/v1/jobs/cancel", locals())

    @operation
    def suspend(self, ids: Texts) -> Call[List[IdAnswer]]:
        """Keep single jobs from running until they are activated (role admin)."""
        return Call("POST", "/api/v1/jobs/suspend", locals())

    @operation
    def activate(self, ids: Texts) -> Call[List[IdAnswer]]:
        """Let suspended jobs go on where they were (role admin)."""
        return Call("POST", "/api/v1/jobs/activate", locals())

    @operation
    def delete(self, ids: Optional[Texts] = None, *, place: Optional[str] = None, all: bool = False, dry_run: bool = False,
               type: Optional[Texts] = None, instance: Optional[Texts] = None, definition: Optional[Texts] = None,
               element: Optional[Texts] = None, category: Optional[Texts] = None, tenant: Optional[Texts] = None,
               correlation_id: Optional[Texts] = None, error: Optional[Texts] = None, created_before: Optional[Instants] = None,
               created_after: Optional[Instants] = None, due_before: Optional[Instants] = None,
               due_after: Optional[Instants] = None, failed_before: Optional[Instants] = None,
               failed_after: Optional[Instants] = None, unique_key: Optional[Texts] = None,
               root_instance: Optional[Texts] = None, execution: Optional[Texts] = None, element_name: Optional[Texts] = None,
               series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
               retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
               priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
               where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
               with_exception: bool = False, without_exception: bool = False, background: bool = False) -> Call[JobRmAnswer]:
        """Delete jobs for good (role admin)."""
        return Call("POST", "/api/v1/jobs/rm", locals(), has_consent=True)


class TimersApi(Noun[M]):
    """/api/v1/timers"""

    @listing
    def list(self, *, group: Optional[str] = None, state: Optional[str] = None, zone: Optional[str] = None,
             limit: Optional[int] = None, after: Optional[str] = None, type: Optional[Texts] = None,
             instance: Optional[Texts] = None, definition: Optional[Texts] = None, element: Optional[Texts] = None,
             category: Optional[Texts] = None, tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None,
             error: Optional[Texts] = None, created_before: Optional[Instants] = None, created_after: Optional[Instants] = None,
             due_before: Optional[Instants] = None, due_after: Optional[Instants] = None,
             failed_before: Optional[Instants] = None, failed_after: Optional[Instants] = None,
             unique_key: Optional[Texts] = None, root_instance: Optional[Texts] = None, execution: Optional[Texts] = None,
             element_name: Optional[Texts] = None, series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
             retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
             priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
             where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
             with_exception: bool = False, without_exception: bool = False) -> Item[Timer]:
        """List timers, oldest first, with what their series say (role read)."""
        return Item("GET", "/api/v1/timers", locals())

    @operation
    def get(self, timer: str, *, zone: Optional[str] = None) -> Call[TimerShow]:
        """Show a timer with all its fields, and those of its series (role read)."""
        return Call("GET", "/api/v1/timers/{timer}", locals())

    @operation
    def fire(self, ids: Texts) -> Call[List[IdAnswer]]:
        """Let timers run now, whatever their due date (role admin)."""
        return Call("POST", "/api/v1/timers/fire", locals())

    @operation
    def reschedule(self, ids: Texts, *, due: Optional[Instant] = None, due_in: Optional[Duration] = None,
                   zone: Optional[str] = None, calendar: Optional[str] = None) -> Call[List[IdAnswer]]:
        """Give timers another due date (role admin)."""
        return Call("POST", "/api/v1/timers/reschedule", locals())

    @operation
    def delete(self, ids: Optional[Texts] = None, *, all: bool = False, dry_run: bool = False, type: Optional[Texts] = None,
               instance: Optional[Texts] = None, definition: Optional[Texts] = None, element: Optional[Texts] = None,
               category: Optional[Texts] = None, tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None,
               error: Optional[Texts] = None, created_before: Optional[Instants] = None,
               created_after: Optional[Instants] = None, due_before: Optional[Instants] = None,
               due_after: Optional[Instants] = None, failed_before: Optional[Instants] = None,
               failed_after: Optional[Instants] = None, unique_key: Optional[Texts] = None,
               root_instance: Optional[Texts] = None, execution: Optional[Texts] = None, element_name: Optional[Texts] = None,
               series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
               retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
               priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
               where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
               with_exception: bool = False, without_exception: bool = False) -> Call[TimerRmAnswer]:
        """Delete timers for good (role admin)."""
        return Call("POST", "/api/v1/timers/rm", locals(), has_consent=True)

    @operation
    def next(self, *, expression: Optional[str] = None, series: Optional[str] = None, zone: Optional[str] = None,
             after: Optional[Instant] = None, count: Optional[int] = None, dst: Optional[str] = None,
             calendar: Optional[str] = None, start: Optional[Instant] = None, end: Optional[Instant] = None,
             misfire: Optional[str] = None) -> Call[List[TimerNext]]:
        """Tell when a timer with a given text would fire, or a series will (role read)."""
        return Call("GET", "/api/v1/timers/next", locals())


class SeriesApi(Noun[M]):
    """/api/v1/series"""

    @listing
    def list(self, *, group: Optional[str] = None, state: Optional[str] = None, zone: Optional[str] = None,
             limit: Optional[int] = None, after: Optional[str] = None) -> Item[Series]:
        """List series, in the order of their keys (role read)."""
        return Item("GET", "/api/v1/series", locals())

    @operation
    def get(self, series: str, *, zone: Optional[str] = None) -> Call[Series]:
        """Show a series with all its fields (role read)."""
        return Call("GET", "/api/v1/series/{series}", locals())

    @operation
    def pause(self, keys: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False,
              dry_run: bool = False) -> Call[List[SeriesAnswer]]:
        """Keep the turns of series waiting until they are resumed (role admin)."""
        return Call("POST", "/api/v1/series/pause", locals(), has_consent=True)

    @operation
    def resume(self, keys: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False,
               dry_run: bool = False) -> Call[List[SeriesAnswer]]:
        """Let paused series go on; missed turns are up to their misfire instruction (role admin)."""
        return Call("POST", "/api/v1/series/resume", locals(), has_consent=True)

    @operation
    def reschedule(self, series: str, *, repeat: Optional[str] = None, zone: Optional[str] = None, dst: Optional[str] = None,
                   calendar: Optional[str] = None, misfire: Optional[str] = None, misfire_threshold: Optional[Duration] = None,
                   start: Optional[Instant] = None, end: Optional[Instant] = None, no_calendar: bool = False) -> Call[None]:
        """Give a series another repeat, under which it begins anew (role admin)."""
        return Call("POST", "/api/v1/series/{series}/reschedule", locals())

    @operation
    def fire(self, keys: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False,
             dry_run: bool = False) -> Call[List[SeriesAnswer]]:
        """Run an extra job of each series now; the series itself goes on as it was (role admin)."""
        return Call("POST", "/api/v1/series/fire", locals(), has_consent=True)

    @operation
    def end(self, keys: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False,
            dry_run: bool = False) -> Call[List[SeriesAnswer]]:
        """Take no further turn; what runs may finish (role admin)."""
        return Call("POST", "/api/v1/series/end", locals(), has_consent=True)

    @operation
    def delete(self, keys: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False,
               dry_run: bool = False) -> Call[List[SeriesAnswer]]:
        """Forget series that have ended (role admin)."""
        return Call("POST", "/api/v1/series/rm", locals(), has_consent=True)


class GroupsApi(Noun[M]):
    """/api/v1/groups"""

    @listing
    def list(self) -> Item[Group]:
        """List groups that have series or are paused (role read)."""
        return Item("GET", "/api/v1/groups", locals())

    @operation
    def pause(self, names: Texts) -> Call[List[GroupPause]]:
        """Pause the series of groups, those too that are yet to come (role admin)."""
        return Call("POST", "/api/v1/groups/pause", locals())

    @operation
    def resume(self, names: Texts) -> Call[List[GroupPause]]:
        """Let groups go on; series that were paused themselves stay paused (role admin)."""
        return Call("POST", "/api/v1/groups/resume", locals())


class CalendarsApi(Noun[M]):
    """/api/v1/calendars"""

    @listing
    def list(self) -> Item[Calendar]:
        """List calendars (role read)."""
        return Item("GET", "/api/v1/calendars", locals())

    @operation
    def get(self, calendar: str) -> Call[Calendar]:
        """Show a calendar (role read)."""
        return Call("GET", "/api/v1/calendars/{calendar}", locals())

    @operation
    def set(self, calendar: str, *, text: Optional[str] = None) -> Call[CalendarSet]:
        """Store a calendar, new or changed; waiting turns move at once (role admin)."""
        return Call("PUT", "/api/v1/calendars/{calendar}", locals())

    @operation
    def delete(self, calendar: str) -> Call[None]:
        """Delete calendars that no series uses (role admin)."""
        return Call("DELETE", "/api/v1/calendars/{calendar}", locals())


class DeadApi(Noun[M]):
    """/api/v1/dead"""

    @listing
    def list(self, *, newest: bool = False, limit: Optional[int] = None, after: Optional[str] = None,
             type: Optional[Texts] = None, instance: Optional[Texts] = None, definition: Optional[Texts] = None,
             element: Optional[Texts] = None, category: Optional[Texts] = None, tenant: Optional[Texts] = None,
             correlation_id: Optional[Texts] = None, error: Optional[Texts] = None, created_before: Optional[Instants] = None,
             created_after: Optional[Instants] = None, due_before: Optional[Instants] = None,
             due_after: Optional[Instants] = None, failed_before: Optional[Instants] = None,
             failed_after: Optional[Instants] = None, unique_key: Optional[Texts] = None, root_instance: Optional[Texts] = None,
             execution: Optional[Texts] = None, element_name: Optional[Texts] = None, series: Optional[Texts] = None,
             lock_owner: Optional[Texts] = None, retries_min: Optional[Union[int, str]] = None,
             retries_max: Optional[Union[int, str]] = None, priority_min: Optional[Union[int, str]] = None,
             priority_max: Optional[Union[int, str]] = None, where: Optional[Texts] = None, without: Optional[Texts] = None,
             locked: bool = False, free: bool = False, with_exception: bool = False,
             without_exception: bool = False) -> Item[Job]:
        """List dead letters, in the order in which their jobs were created (role read)."""
        return Item("GET", "/api/v1/dead", locals())

    @operation
    def get(self, job: str) -> Call[Dead]:
        """Show a dead letter with its message and its stack trace or output (role read)."""
        return Call("GET", "/api/v1/dead/{job}", locals())

    @listing
    def groups(self, *, limit: Optional[int] = None, soon: bool = False, type: Optional[Texts] = None,
               instance: Optional[Texts] = None, definition: Optional[Texts] = None, element: Optional[Texts] = None,
               category: Optional[Texts] = None, tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None,
               error: Optional[Texts] = None, created_before: Optional[Instants] = None,
               created_after: Optional[Instants] = None, due_before: Optional[Instants] = None,
               due_after: Optional[Instants] = None, failed_before: Optional[Instants] = None,
               failed_after: Optional[Instants] = None, unique_key: Optional[Texts] = None,
               root_instance: Optional[Texts] = None, execution: Optional[Texts] = None, element_name: Optional[Texts] = None,
               series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
               retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
               priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
               where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
               with_exception: bool = False, without_exception: bool = False) -> Item[DeadGroups]:
        """Group dead letters by what they died of, the most frequent first (role read)."""
        return Item("GET", "/api/v1/dead/groups", locals())

    @operation
    def requeue(self, ids: Optional[Texts] = None, *, retries: Optional[int] = None, due: Optional[Instant] = None,
                due_in: Optional[Duration] = None, zone: Optional[str] = None, calendar: Optional[str] = None,
                rate: Optional[int] = None, spread: Optional[Duration] = None, probe: bool = False,
                probe_wait: Optional[Duration] = None, payload: Optional[str] = None, group: Optional[str] = None,
                all: bool = False, dry_run: bool = False, type: Optional[Texts] = None, instance: Optional[Texts] = None,
                definition: Optional[Texts] = None, element: Optional[Texts] = None, category: Optional[Texts] = None,
                tenant: Optional[Texts] = None, correlation_id: Optional[Texts] = None, error: Optional[Texts] = None,
                created_before: Optional[Instants] = None, created_after: Optional[Instants] = None,
                due_before: Optional[Instants] = None, due_after: Optional[Instants] = None,
                failed_before: Optional[Instants] = None, failed_after: Optional[Instants] = None,
                unique_key: Optional[Texts] = None, root_instance: Optional[Texts] = None, execution: Optional[Texts] = None,
                element_name: Optional[Texts] = None, series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
                retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
                priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
                where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
                with_exception: bool = False, without_exception: bool = False,
                background: bool = False) -> Call[DeadRequeueAnswer]:
        """Give dead letters new attempts (role admin)."""
        return Call("POST", "/api/v1/dead/requeue", locals(), has_consent=True)

    @operation
    def delete(self, ids: Optional[Texts] = None, *, group: Optional[str] = None, all: bool = False, dry_run: bool = False,
               type: Optional[Texts] = None, instance: Optional[Texts] = None, definition: Optional[Texts] = None,
               element: Optional[Texts] = None, category: Optional[Texts] = None, tenant: Optional[Texts] = None,
               correlation_id: Optional[Texts] = None, error: Optional[Texts] = None, created_before: Optional[Instants] = None,
               created_after: Optional[Instants] = None, due_before: Optional[Instants] = None,
               due_after: Optional[Instants] = None, failed_before: Optional[Instants] = None,
               failed_after: Optional[Instants] = None, unique_key: Optional[Texts] = None,
               root_instance: Optional[Texts] = None, execution: Optional[Texts] = None, element_name: Optional[Texts] = None,
               series: Optional[Texts] = None, lock_owner: Optional[Texts] = None,
               retries_min: Optional[Union[int, str]] = None, retries_max: Optional[Union[int, str]] = None,
               priority_min: Optional[Union[int, str]] = None, priority_max: Optional[Union[int, str]] = None,
               where: Optional[Texts] = None, without: Optional[Texts] = None, locked: bool = False, free: bool = False,
               with_exception: bool = False, without_exception: bool = False, background: bool = False) -> Call[DeadRmAnswer]:
        """Delete dead letters for good (role admin)."""
        return Call("POST", "/api/v1/dead/rm", locals(), has_consent=True)


class BatchesApi(Noun[M]):
    """/api/v1/batches"""

    @listing
    def list(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Item[Batch]:
        """List bulk operations and how far they have come, the latest first (role read)."""
        return Item("GET", "/api/v1/batches", locals())

    @operation
    def get(self, batch: str) -> Call[Batch]:
        """Show one bulk operation: what it does, and how far it has come (role read)."""
        return Call("GET", "/api/v1/batches/{batch}", locals())

    @operation
    def delete(self, batch: str) -> Call[BatchRm]:
        """Forget bulk operations that are not running; the jobs stay as they are (role admin)."""
        return Call("DELETE", "/api/v1/batches/{batch}", locals())

    @operation
    def pause(self, batch: str) -> Call[Batch]:
        """Stop a bulk operation behind the page that is being done (role admin)."""
        return Call("POST", "/api/v1/batches/{batch}/pause", locals())

    @operation
    def resume(self, batch: str, *, background: bool = False) -> Call[BatchResume]:
        """Go on with one that was paused or interrupted; no job is changed twice (role admin)."""
        return Call("POST", "/api/v1/batches/{batch}/resume", locals())

    @operation
    def cancel(self, batch: str) -> Call[Batch]:
        """End one for good; what is done stays done (role admin)."""
        return Call("POST", "/api/v1/batches/{batch}/cancel", locals())


class InstancesApi(Noun[M]):
    """/api/v1/instances"""

    @listing
    def list(self, *, suspended: bool = False, limit: Optional[int] = None, after: Optional[str] = None) -> Item[Instance]:
        """List instances that have jobs or are suspended (role read)."""
        return Item("GET", "/api/v1/instances", locals())

    @operation
    def suspend(self, ids: Texts, *, due: Optional[Instant] = None, due_in: Optional[Duration] = None,
                zone: Optional[str] = None, calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Keep the jobs of instances from running until they are activated (role admin)."""
        return Call("POST", "/api/v1/instances/suspend", locals())

    @operation
    def activate(self, ids: Texts, *, due: Optional[Instant] = None, due_in: Optional[Duration] = None,
                 zone: Optional[str] = None, calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Let the jobs of suspended instances go on, each where it was (role admin)."""
        return Call("POST", "/api/v1/instances/activate", locals())


class DefinitionsApi(Noun[M]):
    """/api/v1/definitions"""

    @operation
    def suspend(self, ids: Texts, *, element: Optional[str] = None, type: Optional[str] = None, new_jobs_only: bool = False,
                due: Optional[Instant] = None, due_in: Optional[Duration] = None, zone: Optional[str] = None,
                calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Keep the jobs of definitions from running until they are activated (role admin)."""
        return Call("POST", "/api/v1/definitions/suspend", locals())

    @operation
    def activate(self, ids: Texts, *, element: Optional[str] = None, type: Optional[str] = None, due: Optional[Instant] = None,
                 due_in: Optional[Duration] = None, zone: Optional[str] = None,
                 calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Let the jobs of suspended definitions go on, each where it was (role admin)."""
        return Call("POST", "/api/v1/definitions/activate", locals())

    @listing
    def list(self, *, definition: Optional[str] = None, element: Optional[str] = None, type: Optional[str] = None,
             limit: Optional[int] = None, after: Optional[str] = None) -> Item[DefinitionSettings]:
        """List what is set for definitions, their elements and their handler types (role read)."""
        return Item("GET", "/api/v1/definitions", locals())

    @operation
    def get(self, name: str) -> Call[DefinitionSettings]:
        """Show what is set for a definition, an element or a type (role read)."""
        return Call("GET", "/api/v1/definitions/{name}", locals())

    @operation
    def set(self, name: str, *, priority: Optional[str] = None, retry_cycle: Optional[str] = None,
            category: Optional[str] = None, exclusive: Optional[str] = None, override: Optional[str] = None,
            cascade: bool = False, dry_run: bool = False) -> Call[DefinitionSettings]:
        """Set what new jobs get that do not say it themselves; other processes hear of it within five seconds (role admin)."""
        return Call("PUT", "/api/v1/definitions/{name}", locals())

    @operation
    def delete(self, name: str) -> Call[None]:
        """Remove what is set for definitions, elements or types; jobs keep what they got from it (role admin)."""
        return Call("DELETE", "/api/v1/definitions/{name}", locals())


class TenantsApi(Noun[M]):
    """/api/v1/tenants"""

    @listing
    def list(self, *, suspended: bool = False, limit: Optional[int] = None, after: Optional[str] = None) -> Item[Instance]:
        """List tenants that have jobs or are suspended; without --suspended, all jobs are read (role read)."""
        return Item("GET", "/api/v1/tenants", locals())

    @operation
    def suspend(self, ids: Texts, *, due: Optional[Instant] = None, due_in: Optional[Duration] = None,
                zone: Optional[str] = None, calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Keep the jobs of tenants from running until they are activated (role admin)."""
        return Call("POST", "/api/v1/tenants/suspend", locals())

    @operation
    def activate(self, ids: Texts, *, due: Optional[Instant] = None, due_in: Optional[Duration] = None,
                 zone: Optional[str] = None, calendar: Optional[str] = None) -> Call[List[GroupPause]]:
        """Let the jobs of suspended tenants go on, each where it was (role admin)."""
        return Call("POST", "/api/v1/tenants/activate", locals())


class LimitsApi(Noun[M]):
    """/api/v1/limits"""

    @listing
    def list(self) -> Item[Limit]:
        """List the limits, and how many jobs run and wait within them (role read)."""
        return Item("GET", "/api/v1/limits", locals())

    @operation
    def set(self, limit: str, *, concurrent: Optional[int] = None, per_node: Optional[int] = None,
            rate: Optional[str] = None) -> Call[LimitSet]:
        """Set a limit, or give it other numbers; nodes hear of it within seconds (role admin)."""
        return Call("PUT", "/api/v1/limits/{limit}", locals())

    @operation
    def delete(self, limit: str) -> Call[None]:
        """Remove limits; what waits for them runs (role admin)."""
        return Call("DELETE", "/api/v1/limits/{limit}", locals())


class LocksApi(Noun[M]):
    """/api/v1/locks"""

    @listing
    def list(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Item[Lock]:
        """List the locks that somebody holds (role read)."""
        return Item("GET", "/api/v1/locks", locals())

    @operation
    def acquire(self, lock: str, *, owner: str, duration: Optional[str] = None) -> Call[Lock]:
        """Take a lock that nobody holds, or keep one's own for longer (role worker)."""
        return Call("POST", "/api/v1/locks/{lock}/acquire", locals())

    @operation
    def renew(self, lock: str, *, owner: str, duration: Optional[str] = None) -> Call[Lock]:
        """Hold a lock of one's own for longer, unless it is over (role worker)."""
        return Call("POST", "/api/v1/locks/{lock}/renew", locals())

    @operation
    def release(self, lock: str, *, owner: str) -> Call[None]:
        """Free locks of one's own (role worker)."""
        return Call("DELETE", "/api/v1/locks/{lock}", locals())


class NodesApi(Noun[M]):
    """/api/v1/nodes"""

    @listing
    def list(self) -> Item[Node]:
        """List the nodes that live, and what they do (role read)."""
        return Item("GET", "/api/v1/nodes", locals())

    @operation
    def drain(self, node: str) -> Call[None]:
        """Let nodes end what they hold and take nothing more, before a maintenance (role admin)."""
        return Call("POST", "/api/v1/nodes/{node}/drain", locals())

    @operation
    def resume(self, node: str) -> Call[None]:
        """Let drained nodes take jobs again (role admin)."""
        return Call("POST", "/api/v1/nodes/{node}/resume", locals())


class TypesApi(Noun[M]):
    """/api/v1/types"""

    @listing
    def list(self, *, soon: bool = False) -> Item[Type]:
        """List handler types by place, with the runs of the last minute, the oldest job and who holds how many (role read)."""
        return Item("GET", "/api/v1/types", locals())


class RatesApi(Noun[M]):
    """/api/v1/rates"""

    @listing
    def list(self, *, last: Optional[str] = None, type: Optional[str] = None) -> Item[Rate]:
        """List what was run span by span, the oldest first (role read)."""
        return Item("GET", "/api/v1/rates", locals())

    @operation
    def types(self, *, last: Optional[str] = None) -> Call[List[RateTypes]]:
        """List what was run by handler type (role read)."""
        return Call("GET", "/api/v1/rates/types", locals())


class LogApi(Noun[M]):
    """/api/v1/log"""

    @listing
    def list(self, *, job: Optional[str] = None, type: Optional[str] = None, definition: Optional[str] = None,
             instance: Optional[str] = None, element: Optional[str] = None, tenant: Optional[str] = None,
             node: Optional[str] = None, event: Optional[str] = None, why: Optional[str] = None,
             since: Optional[Instant] = None, until: Optional[Instant] = None, limit: Optional[int] = None,
             after: Optional[str] = None) -> Item[Log]:
        """List what happened to jobs, the latest first (role read)."""
        return Item("GET", "/api/v1/log", locals())

    @operation
    def delete(self, *, before: Instant) -> Call[BatchRm]:
        """Forget what is older than a time (role admin)."""
        return Call("DELETE", "/api/v1/log", locals())

    @operation
    def get(self, line: str) -> Call[LogShow]:
        """Show a line with the end of its stack trace or output (role read)."""
        return Call("GET", "/api/v1/log/{line}", locals())


class IncidentsApi(Noun[M]):
    """/api/v1/incidents"""

    @listing
    def list(self, *, each: bool = False, resolved: bool = False, job: Optional[str] = None, type: Optional[str] = None,
             definition: Optional[str] = None, instance: Optional[str] = None, root_instance: Optional[str] = None,
             cause: Optional[str] = None, tenant: Optional[str] = None, since: Optional[Instant] = None,
             until: Optional[Instant] = None, limit: Optional[int] = None,
             after: Optional[str] = None) -> Item[Union[Incident, IncidentOther]]:
        """List what open incidents are about, or each of them; resolved ones (role read)."""
        return Item("GET", "/api/v1/incidents", locals())

    @operation
    def get(self, job: str) -> Call[List[IncidentOther]]:
        """Show the incidents of a job, the open one first (role read)."""
        return Call("GET", "/api/v1/incidents/{job}", locals())

    @operation
    def annotate(self, job: str, *, note: str) -> Call[None]:
        """Note something about open incidents (role admin)."""
        return Call("PUT", "/api/v1/incidents/{job}/note", locals())

    @operation
    def resolve(self, jobs: Optional[Texts] = None, *, type: Optional[str] = None, definition: Optional[str] = None,
                instance: Optional[str] = None, root_instance: Optional[str] = None, cause: Optional[str] = None,
                tenant: Optional[str] = None, since: Optional[Instant] = None, until: Optional[Instant] = None,
                all: bool = False, dry_run: bool = False) -> Call[IncidentResolveAnswer]:
        """Resolve open incidents by hand; their dead letters stay (role admin)."""
        return Call("POST", "/api/v1/incidents/resolve", locals(), has_consent=True)


class AuditApi(Noun[M]):
    """/api/v1/audit"""

    @listing
    def list(self, *, who: Optional[str] = None, action: Optional[str] = None, since: Optional[Instant] = None,
             until: Optional[Instant] = None, limit: Optional[int] = None, after: Optional[str] = None) -> Item[Audit]:
        """List what people have changed, the latest first (role read)."""
        return Item("GET", "/api/v1/audit", locals())

    @operation
    def delete(self, *, before: Instant) -> Call[BatchRm]:
        """Forget what is older than a time; that is audited too (role admin)."""
        return Call("DELETE", "/api/v1/audit", locals())


class TopApi(Noun[M]):
    """/api/v1/top"""

    @operation
    def get(self, *, soon: bool = False) -> Call[Top]:
        """Show what goes on, again and again: rates, places, nodes, the slowest types (q ends) (role read)."""
        return Call("GET", "/api/v1/top", locals())


class DoctorApi(Noun[M]):
    """/api/v1/doctor"""

    @listing
    def list(self) -> Item[Doctor]:
        """Look whether database, nodes and jobs are healthy, and say what to do (exit code 6 if anything is wrong) (role read)."""
        return Item("GET", "/api/v1/doctor", locals())


class SettingsApi(Noun[M]):
    """/api/v1/settings"""

    @operation
    def get(self) -> Call[Config]:
        """Print the settings that apply, as a configuration file without passwords (role read)."""
        return Call("GET", "/api/v1/settings", locals())


class Nouns(Noun[M]):
    """What each is about stands in the path of its operations."""

    def __init__(self, carry_out: CarryOut):
        super().__init__(carry_out)
        self.jobs: JobsApi[M] = JobsApi(carry_out)
        self.timers: TimersApi[M] = TimersApi(carry_out)
        self.series: SeriesApi[M] = SeriesApi(carry_out)
        self.groups: GroupsApi[M] = GroupsApi(carry_out)
        self.calendars: CalendarsApi[M] = CalendarsApi(carry_out)
        self.dead: DeadApi[M] = DeadApi(carry_out)
        self.batches: BatchesApi[M] = BatchesApi(carry_out)
        self.instances: InstancesApi[M] = InstancesApi(carry_out)
        self.definitions: DefinitionsApi[M] = DefinitionsApi(carry_out)
        self.tenants: TenantsApi[M] = TenantsApi(carry_out)
        self.limits: LimitsApi[M] = LimitsApi(carry_out)
        self.locks: LocksApi[M] = LocksApi(carry_out)
        self.nodes: NodesApi[M] = NodesApi(carry_out)
        self.types: TypesApi[M] = TypesApi(carry_out)
        self.rates: RatesApi[M] = RatesApi(carry_out)
        self.log: LogApi[M] = LogApi(carry_out)
        self.incidents: IncidentsApi[M] = IncidentsApi(carry_out)
        self.audit: AuditApi[M] = AuditApi(carry_out)
        self.top: TopApi[M] = TopApi(carry_out)
        self.doctor: DoctorApi[M] = DoctorApi(carry_out)
        self.settings: SettingsApi[M] = SettingsApi(carry_out)
