// All that the service does, and what it answers.
// Written by tools/clients/write_operations.py from the description of a service (GET /api/v1/openapi.json).

/** One or several, of which one is enough. */
export type Texts = string | string[];
/** A text is any that the service reads as a time. */
export type Instant = Date | string;
/** A number is of milliseconds. */
export type Duration = number | string;

export type Job = { id: string | null; correlationId: string | null; place: string; handlerType: string | null; payload: any;
  dueDate: string | null; repeat: string | null; retries: number; retryCycle: string | null; priority: number;
  processInstanceId: string | null; rootProcessInstanceId: string | null; processDefinitionId: string | null;
  executionId: string | null; elementId: string | null; elementName: string | null; category: string | null;
  tenantId: string | null; exclusive: boolean; uniqueKey: string | null; createTime: string | null; lockOwner: string | null;
  lockExpirationTime: string | null; exceptionMessage: string | null; series: string | null; attempts: number;
  failedTime: string | null; traceparent: string | null; callingInstances: string[]; candidateUsers: string[];
  candidateGroups: string[] };
export type JobExplain = { id: string; code: string; text: string; advice: string | null; reasons: any;
  facts: { [name: string]: any } };
export type JobSetAnswer = { set?: number; locked?: number; refused?: number; batch?: string; total?: number;
  items?: IdAnswer[] };
export type IdAnswer = { id: string; answer: string; why: string | null };
export type JobRmAnswer = { removed?: number; locked?: number; refused?: number; batch?: string; total?: number;
  items?: IdAnswer[] };
export type Timer = Job & { group: string | null; description: string | null; state: string; previousFire: string | null;
  nextFire: string | null; fireCount: number | null; zone: string | null; dst: string | null; calendar: string | null;
  start: string | null; end: string | null; misfire: string | null; misfireThreshold: string | null; overlap: boolean | null;
  keepData: boolean | null; recovery: boolean | null; stopOnDeadLetter: boolean | null; unreadableSeries: string | null };
export type TimerShow = Timer & { exceptionDetails: string | null };
export type TimerRmAnswer = { removed?: number; locked?: number; refused?: number; batch?: string; total?: number;
  items?: IdAnswer[] };
export type TimerNext = { time: string };
export type Series = { series: string; group: string; description: string | null; handlerType: string | null;
  repeat: string | null; state: string; previousFire: string | null; nextFire: string | null; fireCount: number; zone: string;
  dst: string; calendar: string | null; start: string | null; end: string | null; misfire: string | null;
  misfireThreshold: string | null; overlap: boolean; keepData: boolean; recovery: boolean; stopOnDeadLetter: boolean;
  retries: number; totalTurns: number | null; turnsTaken: number; turnId: string | null; createTime: string | null;
  unreadableSeries: string | null };
export type SeriesAnswer = { series: string; answer: string; why: string | null };
export type Group = { id: string; series: number; paused: boolean; pausedSince: string | null };
export type GroupPause = { id: string; moved?: number; job?: string; due?: string };
export type Calendar = { calendar: string; text: string };
export type CalendarSet = { calendar: string; series: number };
export type Dead = Job & { exceptionDetails?: string | null };
export type DeadGroups = { group: string; jobs: number; handlerType: string | null; errorClass: string | null;
  message: string | null; firstFailedTime: string | null; lastFailedTime: string | null; exampleId: string;
  lookedAt: number | null };
export type DeadRequeueAnswer = { requeued?: number; skipped?: number; refused?: number; batch?: string; total?: number;
  items?: IdAnswer[] };
export type DeadRmAnswer = { removed?: number; skipped?: number; refused?: number; batch?: string; total?: number;
  items?: IdAnswer[] };
export type Batch = { id: string; operation: string; place: string; state: string; total: number; done: number; skipped: number;
  refused: number; selection: string; group: string | null; retries: number | null; priority: number | null;
  dueDate: string | null; spread: string | null; rate: number | null; who: string | null; reason: string | null;
  createTime: string; endTime: string | null; cursor: string | null };
export type BatchRm = { removed: number };
export type BatchResume = { batch: string; total?: number; requeued?: number; removed?: number; set?: number; skipped?: number;
  locked?: number; refused?: number };
export type Instance = { id: string; suspended: boolean; suspendedSince: string | null; places: { [name: string]: any } };
export type DefinitionSettings = { name: string; processDefinitionId: string; elementId: string | null;
  handlerType: string | null; priority: string | null; overridePriority: number | null; retryCycle: string | null;
  category: string | null; exclusive: boolean | null };
export type Limit = { limit: string; concurrent: number | null; perNode: number | null; rate: string | null; running: number;
  waiting: number };
export type LimitSet = { limit: string; concurrent: number | null; perNode: number | null; rate: string | null };
export type Lock = { lock: string; owner: string; since: string; until: string; token: number };
export type Node = { node: string; state: string; running: number; workers: number; held: number; started: string;
  leaseUntil: string; standstill: string | null; host: string; process: number; version: string; handlerTypes: string[];
  scope: { [name: string]: any } | null; acquiresJobs: boolean; movesTimers: boolean };
export type Type = { handlerType: string; place: string; jobs: number; runsLastMinute: number | null;
  failedLastMinute: number | null; locked: number; oldest: string | null; lockedBy: any; lookedAt: number | null };
export type Rate = { time: string; seconds: number; begun: number; completed: number; failed: number; dead: number;
  waitP50: number | null; waitP95: number | null; waitP99: number | null; runP50: number | null; runP95: number | null;
  runP99: number | null };
export type RateTypes = { type: string; begun: number; completed: number; failed: number; dead: number; waitP50: number | null;
  waitP95: number | null; waitP99: number | null; runP50: number | null; runP95: number | null; runP99: number | null };
export type Log = { id: string; time: string; event: string; reason: string | null; jobId: string; attempt: number | null;
  retries: number; handlerType: string | null; exceptionMessage: string | null; durationMs: number | null; node: string | null;
  priority: number; dueDate: string | null; processInstanceId: string | null; rootProcessInstanceId: string | null;
  processDefinitionId: string | null; jobDefinitionId: string | null; executionId: string | null; elementId: string | null;
  tenantId: string | null };
export type LogShow = Log & { exceptionDetails: string | null };
export type Incident = { group: string; incidents: number; handlerType: string | null; errorClass: string | null;
  message: string | null; firstTime: string | null; lastTime: string | null; exampleJobId: string };
export type IncidentOther = { jobId: string; id: string; time: string; type: string; cause: string | null;
  message: string | null; handlerType: string | null; processInstanceId: string | null; rootProcessInstanceId: string | null;
  callingInstances: string[]; causeIncidentId: string; causeIncidentProcessInstanceId: string | null;
  rootCauseIncidentId: string; rootCauseIncidentProcessInstanceId: string | null; processDefinitionId: string | null;
  jobDefinitionId: string | null; executionId: string | null; elementId: string | null; tenantId: string | null;
  node: string | null; annotation: string | null; endTime: string | null; resolution: string | null };
export type IncidentResolveAnswer = { resolved: number; items?: JobIdAnswer[] };
export type Audit = { id: string; time: string; who: string; via: string; action: string; arguments: string | null;
  reason: string | null; result: string | null; changed: number | null };
export type Top = { now: string; runsLastMinute: number; failedLastMinute: number; runsPerSecond: number;
  failedPerSecond: number; dueWithinMinute: number; waitingForOthers: number; waitingForLimits: number; places: any; nodes: any;
  types: any; external: any };
export type Doctor = { check: string; level: string; text: string; advice: string | null };
export type Config = { db?: string; passwordFile?: string; passwordCommand?: string; logLevel?: string; logFormat?: string;
  asyncExecutorActivate?: boolean; create?: boolean; databaseSchemaUpdate?: boolean; httpListen?: string;
  httpTokenFile?: string; httpHiddenMembers?: string; httpCertificateFile?: string; httpKeyFile?: string;
  httpMaxConnections?: number; httpMaxBodyBytes?: number; spreadOver?: string; otlpEndpoint?: string; otlpServiceName?: string;
  lockOwner?: string; corePoolSize?: number; maxPoolSize?: number; keepAlive?: string; queueSize?: number;
  maxAsyncRuns?: number; queueBytes?: number; maxAsyncJobsDuePerAcquisition?: number; maxBytesPerAcquisition?: number;
  acquireAhead?: string; acquireFirstWait?: string; defaultAsyncJobAcquireWaitTime?: string;
  defaultQueueSizeFullWaitTime?: string; exclusiveOverHierarchies?: boolean; instancesTogether?: boolean;
  asyncJobAcquisitionEnabled?: boolean; timerJobAcquisitionEnabled?: boolean; resetExpiredJobEnabled?: boolean;
  maxTimerJobsPerAcquisition?: number; defaultTimerJobAcquireWaitTime?: string; timerFireAheadWindow?: string;
  misfireThreshold?: string; asyncJobLockTime?: string; lockGranularity?: string; timerLockTime?: string; nodeLease?: string;
  resetExpiredJobsInterval?: string; resetExpiredJobsPageSize?: number; awaitTerminationPeriod?: string; jobTimeLimit?: string;
  externalTimeLimits?: string; maxLostStarts?: number; numberOfRetries?: number; asyncFailedJobWaitTime?: string;
  defaultFailedJobWaitTime?: string; failedJobRetryTimeCycle?: string; producePrioritizedJobs?: boolean;
  batchJobPriority?: number; recordDefinitions?: boolean; tolerateFailedExpressions?: boolean; acquireByPriority?: boolean;
  preferTimerJobs?: boolean; acquireByDueDate?: boolean; tenantsInTurn?: boolean; priorityAging?: string;
  priorityRangeMin?: number; priorityRangeMax?: number; enabledJobCategories?: string; enabledTenants?: string;
  enabledDefinitions?: string; jobLog?: string; jobLogRetention?: string; jobLogMaxRows?: number; lastRuns?: number;
  lastRunsRetention?: string; deadLetterRetention?: string; deadLetterMaxRows?: number; historyCleanupEnabled?: boolean;
  historyCleanupBatchWindowStartTime?: string; historyCleanupBatchWindowEndTime?: string; historyCleanupJobPriority?: number;
  incidents?: boolean; incidentTarget?: string; commands?: { [name: string]: any }; targets?: { [name: string]: any };
  definitions?: { [name: string]: any }; requeues?: { [name: string]: any } };
export type JobIdAnswer = { jobId: string; answer: string; why: string | null };

export interface JobsApi {
  /** Jobs of a place in the order of their ids, page by page (role read). */
  list(options?: { place?: string; limit?: number; after?: string; sort?: string; order?: string; skip?: number; soon?: boolean;
    locked?: boolean; withException?: boolean; without?: string; type?: Texts; instance?: Texts; definition?: Texts;
    element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts;
    createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; free?: boolean; withoutException?: boolean }): AsyncGenerator<Job, void, undefined>;
  /** A job wherever it stands, with the details of its last failure (role read). */
  get(id: string): Promise<Job>;
  /** Tell why a job does not run now, and what to do (role read). */
  explain(id: string): Promise<JobExplain>;
  /** Change jobs that no node holds (role admin). */
  set(ids?: Texts, options?: { place?: string; retries?: number; priority?: number; payload?: string; retryCycle?: string;
    due?: Instant; dueIn?: Duration; zone?: string; calendar?: string; all?: boolean; dryRun?: boolean; type?: Texts;
    instance?: Texts; definition?: Texts; element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts;
    error?: Texts; createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean; withoutException?: boolean;
    background?: boolean }): Promise<JobSetAnswer>;
  /** Make dead letters of jobs, also of those that run: they are told to stop (role admin). */
  cancel(ids: Texts, options: { reason: string; by?: string }): Promise<IdAnswer[]>;
  /** Keep single jobs from running until they are activated (role admin). */
  suspend(ids: Texts): Promise<IdAnswer[]>;
  /** Let suspended jobs go on where they were (role admin). */
  activate(ids: Texts): Promise<IdAnswer[]>;
  /** Delete jobs for good (role admin). */
  delete(ids?: Texts, options?: { place?: string; all?: boolean; dryRun?: boolean; type?: Texts; instance?: Texts;
    definition?: Texts; element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts;
    createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean; withoutException?: boolean;
    background?: boolean }): Promise<JobRmAnswer>;
}

export interface TimersApi {
  /** List timers, oldest first, with what their series say (role read). */
  list(options?: { group?: string; state?: string; zone?: string; limit?: number; after?: string; type?: Texts;
    instance?: Texts; definition?: Texts; element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts;
    error?: Texts; createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean;
    withoutException?: boolean }): AsyncGenerator<Timer, void, undefined>;
  /** Show a timer with all its fields, and those of its series (role read). */
  get(timer: string, options?: { zone?: string }): Promise<TimerShow>;
  /** Let timers run now, whatever their due date (role admin). */
  fire(ids: Texts): Promise<IdAnswer[]>;
  /** Give timers another due date (role admin). */
  reschedule(ids: Texts, options?: { due?: Instant; dueIn?: Duration; zone?: string; calendar?: string }): Promise<IdAnswer[]>;
  /** Delete timers for good (role admin). */
  delete(ids?: Texts, options?: { all?: boolean; dryRun?: boolean; type?: Texts; instance?: Texts; definition?: Texts;
    element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts;
    createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean;
    withoutException?: boolean }): Promise<TimerRmAnswer>;
  /** Tell when a timer with a given text would fire, or a series will (role read). */
  next(options?: { expression?: string; series?: string; zone?: string; after?: Instant; count?: number; dst?: string;
    calendar?: string; start?: Instant; end?: Instant; misfire?: string }): Promise<TimerNext[]>;
}

export interface SeriesApi {
  /** List series, in the order of their keys (role read). */
  list(options?: { group?: string; state?: string; zone?: string; limit?: number;
    after?: string }): AsyncGenerator<Series, void, undefined>;
  /** Show a series with all its fields (role read). */
  get(series: string, options?: { zone?: string }): Promise<Series>;
  /** Keep the turns of series waiting until they are resumed (role admin). */
  pause(keys?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean }): Promise<SeriesAnswer[]>;
  /** Let paused series go on; missed turns are up to their misfire instruction (role admin). */
  resume(keys?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean }): Promise<SeriesAnswer[]>;
  /** Give a series another repeat, under which it begins anew (role admin). */
  reschedule(series: string, options?: { repeat?: string; zone?: string; dst?: string; calendar?: string; misfire?: string;
    misfireThreshold?: Duration; start?: Instant; end?: Instant; noCalendar?: boolean }): Promise<void>;
  /** Run an extra job of each series now; the series itself goes on as it was (role admin). */
  fire(keys?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean }): Promise<SeriesAnswer[]>;
  /** Take no further turn; what runs may finish (role admin). */
  end(keys?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean }): Promise<SeriesAnswer[]>;
  /** Forget series that have ended (role admin). */
  delete(keys?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean }): Promise<SeriesAnswer[]>;
}

export interface GroupsApi {
  /** List groups that have series or are paused (role read). */
  list(): AsyncGenerator<Group, void, undefined>;
  /** Pause the series of groups, those too that are yet to come (role admin). */
  pause(names: Texts): Promise<GroupPause[]>;
  /** Let groups go on; series that were paused themselves stay paused (role admin). */
  resume(names: Texts): Promise<GroupPause[]>;
}

export interface CalendarsApi {
  /** List calendars (role read). */
  list(): AsyncGenerator<Calendar, void, undefined>;
  /** Show a calendar (role read). */
  get(calendar: string): Promise<Calendar>;
  /** Store a calendar, new or changed; waiting turns move at once (role admin). */
  set(calendar: string, options?: { text?: string }): Promise<CalendarSet>;
  /** Delete calendars that no series uses (role admin). */
  delete(calendar: string): Promise<void>;
}

export interface DeadApi {
  /** List dead letters, in the order in which their jobs were created (role read). */
  list(options?: { newest?: boolean; limit?: number; after?: string; type?: Texts; instance?: Texts; definition?: Texts;
    element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts;
    createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean;
    withoutException?: boolean }): AsyncGenerator<Job, void, undefined>;
  /** Show a dead letter with its message and its stack trace or output (role read). */
  get(job: string): Promise<Dead>;
  /** Group dead letters by what they died of, the most frequent first (role read). */
  groups(options?: { limit?: number; soon?: boolean; type?: Texts; instance?: Texts; definition?: Texts; element?: Texts;
    category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts; createdBefore?: Instant | Instant[];
    createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[]; dueAfter?: Instant | Instant[];
    failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts; rootInstance?: Texts;
    execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts; retriesMin?: number | string;
    retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string; where?: Texts; without?: Texts;
    locked?: boolean; free?: boolean; withException?: boolean;
    withoutException?: boolean }): AsyncGenerator<DeadGroups, void, undefined>;
  /** Give dead letters new attempts (role admin). */
  requeue(ids?: Texts, options?: { retries?: number; due?: Instant; dueIn?: Duration; zone?: string; calendar?: string;
    rate?: number; spread?: Duration; probe?: boolean; probeWait?: Duration; payload?: string; group?: string; all?: boolean;
    dryRun?: boolean; type?: Texts; instance?: Texts; definition?: Texts; element?: Texts; category?: Texts; tenant?: Texts;
    correlationId?: Texts; error?: Texts; createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[];
    dueBefore?: Instant | Instant[]; dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[];
    failedAfter?: Instant | Instant[]; uniqueKey?: Texts; rootInstance?: Texts; execution?: Texts; elementName?: Texts;
    series?: Texts; lockOwner?: Texts; retriesMin?: number | string; retriesMax?: number | string;
    priorityMin?: number | string; priorityMax?: number | string; where?: Texts; without?: Texts; locked?: boolean;
    free?: boolean; withException?: boolean; withoutException?: boolean; background?: boolean }): Promise<DeadRequeueAnswer>;
  /** Delete dead letters for good (role admin). */
  delete(ids?: Texts, options?: { group?: string; all?: boolean; dryRun?: boolean; type?: Texts; instance?: Texts;
    definition?: Texts; element?: Texts; category?: Texts; tenant?: Texts; correlationId?: Texts; error?: Texts;
    createdBefore?: Instant | Instant[]; createdAfter?: Instant | Instant[]; dueBefore?: Instant | Instant[];
    dueAfter?: Instant | Instant[]; failedBefore?: Instant | Instant[]; failedAfter?: Instant | Instant[]; uniqueKey?: Texts;
    rootInstance?: Texts; execution?: Texts; elementName?: Texts; series?: Texts; lockOwner?: Texts;
    retriesMin?: number | string; retriesMax?: number | string; priorityMin?: number | string; priorityMax?: number | string;
    where?: Texts; without?: Texts; locked?: boolean; free?: boolean; withException?: boolean; withoutException?: boolean;
    background?: boolean }): Promise<DeadRmAnswer>;
}

export interface BatchesApi {
  /** List bulk operations and how far they have come, the latest first (role read). */
  list(options?: { limit?: number; after?: string }): AsyncGenerator<Batch, void, undefined>;
  /** Show one bulk operation: what it does, and how far it has come (role read). */
  get(batch: string): Promise<Batch>;
  /** Forget bulk operations that are not running; the jobs stay as they are (role admin). */
  delete(batch: string): Promise<BatchRm>;
  /** Stop a bulk operation behind the page that is being done (role admin). */
  pause(batch: string): Promise<Batch>;
  /** Go on with one that was paused or interrupted; no job is changed twice (role admin). */
  resume(batch: string, options?: { background?: boolean }): Promise<BatchResume>;
  /** End one for good; what is done stays done (role admin). */
  cancel(batch: string): Promise<Batch>;
}

export interface InstancesApi {
  /** List instances that have jobs or are suspended (role read). */
  list(options?: { suspended?: boolean; limit?: number; after?: string }): AsyncGenerator<Instance, void, undefined>;
  /** Keep the jobs of instances from running until they are activated (role admin). */
  suspend(ids: Texts, options?: { due?: Instant; dueIn?: Duration; zone?: string; calendar?: string }): Promise<GroupPause[]>;
  /** Let the jobs of suspended instances go on, each where it was (role admin). */
  activate(ids: Texts, options?: { due?: Instant; dueIn?: Duration; zone?: string; calendar?: string }): Promise<GroupPause[]>;
}

export interface DefinitionsApi {
  /** Keep the jobs of definitions from running until they are activated (role admin). */
  suspend(ids: Texts, options?: { element?: string; type?: string; newJobsOnly?: boolean; due?: Instant; dueIn?: Duration;
    zone?: string; calendar?: string }): Promise<GroupPause[]>;
  /** Let the jobs of suspended definitions go on, each where it was (role admin). */
  activate(ids: Texts, options?: { element?: string; type?: string; due?: Instant; dueIn?: Duration; zone?: string;
    calendar?: string }): Promise<GroupPause[]>;
  /** List what is set for definitions, their elements and their handler types (role read). */
  list(options?: { definition?: string; element?: string; type?: string; limit?: number;
    after?: string }): AsyncGenerator<DefinitionSettings, void, undefined>;
  /** Show what is set for a definition, an element or a type (role read). */
  get(name: string): Promise<DefinitionSettings>;
  /** Set what new jobs get that do not say it themselves; other processes hear of it within five seconds (role admin). */
  set(name: string, options?: { priority?: string; retryCycle?: string; category?: string; exclusive?: string;
    override?: string; cascade?: boolean; dryRun?: boolean }): Promise<DefinitionSettings>;
  /** Remove what is set for definitions, elements or types; jobs keep what they got from it (role admin). */
  delete(name: string): Promise<void>;
}

export interface TenantsApi {
  /** List tenants that have jobs or are suspended; without --suspended, all jobs are read (role read). */
  list(options?: { suspended?: boolean; limit?: number; after?: string }): AsyncGenerator<Instance, void, undefined>;
  /** Keep the jobs of tenants from running until they are activated (role admin). */
  suspend(ids: Texts, options?: { due?: Instant; dueIn?: Duration; zone?: string; calendar?: string }): Promise<GroupPause[]>;
  /** Let the jobs of suspended tenants go on, each where it was (role admin). */
  activate(ids: Texts, options?: { due?: Instant; dueIn?: Duration; zone?: string; calendar?: string }): Promise<GroupPause[]>;
}

export interface LimitsApi {
  /** List the limits, and how many jobs run and wait within them (role read). */
  list(): AsyncGenerator<Limit, void, undefined>;
  /** Set a limit, or give it other numbers; nodes hear of it within seconds (role admin). */
  set(limit: string, options?: { concurrent?: number; perNode?: number; rate?: string }): Promise<LimitSet>;
  /** Remove limits; what waits for them runs (role admin). */
  delete(limit: string): Promise<void>;
}

export interface LocksApi {
  /** List the locks that somebody holds (role read). */
  list(options?: { limit?: number; after?: string }): AsyncGenerator<Lock, void, undefined>;
  /** Take a lock that nobody holds, or keep one's own for longer (role worker). */
  acquire(lock: string, options: { owner: string; duration?: string }): Promise<Lock>;
  /** Hold a lock of one's own for longer, unless it is over (role worker). */
  renew(lock: string, options: { owner: string; duration?: string }): Promise<Lock>;
  /** Free locks of one's own (role worker). */
  release(lock: string, options: { owner: string }): Promise<void>;
}

export interface NodesApi {
  /** List the nodes that live, and what they do (role read). */
  list(): AsyncGenerator<Node, void, undefined>;
  /** Let nodes end what they hold and take nothing more, before a maintenance (role admin). */
  drain(node: string): Promise<void>;
  /** Let drained nodes take jobs again (role admin). */
  resume(node: string): Promise<void>;
}

export interface TypesApi {
  /** List handler types by place, with the runs of the last minute, the oldest job and who holds how many (role read). */
  list(options?: { soon?: boolean }): AsyncGenerator<Type, void, undefined>;
}

export interface RatesApi {
  /** List what was run span by span, the oldest first (role read). */
  list(options?: { last?: string; type?: string }): AsyncGenerator<Rate, void, undefined>;
  /** List what was run by handler type (role read). */
  types(options?: { last?: string }): Promise<RateTypes[]>;
}

export interface LogApi {
  /** List what happened to jobs, the latest first (role read). */
  list(options?: { job?: string; type?: string; definition?: string; instance?: string; element?: string; tenant?: string;
    node?: string; event?: string; why?: string; since?: Instant; until?: Instant; limit?: number;
    after?: string }): AsyncGenerator<Log, void, undefined>;
  /** Forget what is older than a time (role admin). */
  delete(options: { before: Instant }): Promise<BatchRm>;
  /** Show a line with the end of its stack trace or output (role read). */
  get(line: string): Promise<LogShow>;
}

export interface IncidentsApi {
  /** List what open incidents are about, or each of them; resolved ones (role read). */
  list(options?: { each?: boolean; resolved?: boolean; job?: string; type?: string; definition?: string; instance?: string;
    rootInstance?: string; cause?: string; tenant?: string; since?: Instant; until?: Instant; limit?: number;
    after?: string }): AsyncGenerator<Incident | IncidentOther, void, undefined>;
  /** Show the incidents of a job, the open one first (role read). */
  get(job: string): Promise<IncidentOther[]>;
  /** Note something about open incidents (role admin). */
  annotate(job: string, options: { note: string }): Promise<void>;
  /** Resolve open incidents by hand; their dead letters stay (role admin). */
  resolve(jobs?: Texts, options?: { type?: string; definition?: string; instance?: string; rootInstance?: string;
    cause?: string; tenant?: string; since?: Instant; until?: Instant; all?: boolean;
    dryRun?: boolean }): Promise<IncidentResolveAnswer>;
}

export interface AuditApi {
  /** List what people have changed, the latest first (role read). */
  list(options?: { who?: string; action?: string; since?: Instant; until?: Instant; limit?: number;
    after?: string }): AsyncGenerator<Audit, void, undefined>;
  /** Forget what is older than a time; that is audited too (role admin). */
  delete(options: { before: Instant }): Promise<BatchRm>;
}

export interface TopApi {
  /** Show what goes on, again and again: rates, places, nodes, the slowest types (q ends) (role read). */
  get(options?: { soon?: boolean }): Promise<Top>;
}

export interface DoctorApi {
  /** Look whether database, nodes and jobs are healthy, and say what to do (exit code 6 if anything is wrong) (role read). */
  list(): AsyncGenerator<Doctor, void, undefined>;
}

export interface SettingsApi {
  /** Print the settings that apply, as a configuration file without passwords (role read). */
  get(): Promise<Config>;
}

export interface Nouns {
  readonly jobs: JobsApi;
  readonly timers: TimersApi;
  readonly series: SeriesApi;
  readonly groups: GroupsApi;
  readonly calendars: CalendarsApi;
  readonly dead: DeadApi;
  readonly batches: BatchesApi;
  readonly instances: InstancesApi;
  readonly definitions: DefinitionsApi;
  readonly tenants: TenantsApi;
  readonly limits: LimitsApi;
  readonly locks: LocksApi;
  readonly nodes: NodesApi;
  readonly types: TypesApi;
  readonly rates: RatesApi;
  readonly log: LogApi;
  readonly incidents: IncidentsApi;
  readonly audit: AuditApi;
  readonly top: TopApi;
  readonly doctor: DoctorApi;
  readonly settings: SettingsApi;
}
