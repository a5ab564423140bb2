// All that the service does.
// Written by tools/clients/write_operations.py from the description of a service (GET /api/v1/openapi.json).

/** Of each: the method, the path, what is given before the options, these, and whether they are asked to be meant so. */
export const kOperations = {
  jobs: {
    list: ["LIST", "/api/v1/jobs", [], "place limit after sort order skip soon locked withException without type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where free withoutException"],
    get: ["GET", "/api/v1/jobs/{id}", ["id"], ""],
    explain: ["GET", "/api/v1/jobs/{id}/explanation", ["id"], ""],
    set: ["POST", "/api/v1/jobs/set", ["ids"], "place retries priority payload retryCycle due dueIn zone calendar all dryRun type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException background", true],
    cancel: ["POST", "/api/v1/jobs/cancel", ["ids"], "reason by"],
    suspend: ["POST", "/api/v1/jobs/suspend", ["ids"], ""],
    activate: ["POST", "/api/v1/jobs/activate", ["ids"], ""],
    delete: ["POST", "/api/v1/jobs/rm", ["ids"], "place all dryRun type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException background", true],
  },
  timers: {
    list: ["LIST", "/api/v1/timers", [], "group state zone limit after type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException"],
    get: ["GET", "/api/v1/timers/{timer}", ["timer"], "zone"],
    fire: ["POST", "/api/v1/timers/fire", ["ids"], ""],
    reschedule: ["POST", "/api/v1/timers/reschedule", ["ids"], "due dueIn zone calendar"],
    delete: ["POST", "/api/v1/timers/rm", ["ids"], "all dryRun type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException", true],
    next: ["GET", "/api/v1/timers/next", [], "expression series zone after count dst calendar start end misfire"],
  },
  series: {
    list: ["LIST", "/api/v1/series", [], "group state zone limit after"],
    get: ["GET", "/api/v1/series/{series}", ["series"], "zone"],
    pause: ["POST", "/api/v1/series/pause", ["keys"], "group all dryRun", true],
    resume: ["POST", "/api/v1/series/resume", ["keys"], "group all dryRun", true],
    reschedule: ["POST", "/api/v1/series/{series}/reschedule", ["series"], "repeat zone dst calendar misfire misfireThreshold start end noCalendar"],
    fire: ["POST", "/api/v1/series/fire", ["keys"], "group all dryRun", true],
    end: ["POST", "/api/v1/series/end", ["keys"], "group all dryRun", true],
    delete: ["POST", "/api/v1/series/rm", ["keys"], "group all dryRun", true],
  },
  groups: {
    list: ["LIST", "/api/v1/groups", [], ""],
    pause: ["POST", "/api/v1/groups/pause", ["names"], ""],
    resume: ["POST", "/api/v1/groups/resume", ["names"], ""],
  },
  calendars: {
    list: ["LIST", "/api/v1/calendars", [], ""],
    get: ["GET", "/api/v1/calendars/{calendar}", ["calendar"], ""],
    set: ["PUT", "/api/v1/calendars/{calendar}", ["calendar"], "text"],
    delete: ["DELETE", "/api/v1/calendars/{calendar}", ["calendar"], ""],
  },
  dead: {
    list: ["LIST", "/api/v1/dead", [], "newest limit after type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException"],
    get: ["GET", "/api/v1/dead/{job}", ["job"], ""],
    groups: ["LIST", "/api/v1/dead/groups", [], "limit soon type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException"],
    requeue: ["POST", "/api/v1/dead/requeue", ["ids"], "retries due dueIn zone calendar rate spread probe probeWait payload group all dryRun type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException background", true],
    delete: ["POST", "/api/v1/dead/rm", ["ids"], "group all dryRun type instance definition element category tenant correlationId error createdBefore createdAfter dueBefore dueAfter failedBefore failedAfter uniqueKey rootInstance execution elementName series lockOwner retriesMin retriesMax priorityMin priorityMax where without locked free withException withoutException background", true],
  },
  batches: {
    list: ["LIST", "/api/v1/batches", [], "limit after"],
    get: ["GET", "/api/v1/batches/{batch}", ["batch"], ""],
    delete: ["DELETE", "/api/v1/batches/{batch}", ["batch"], ""],
    pause: ["POST", "/api/v1/batches/{batch}/pause", ["batch"], ""],
    resume: ["POST", "/api/v1/batches/{batch}/resume", ["batch"], "background"],
    cancel: ["POST", "/api/v1/batches/{batch}/cancel", ["batch"], ""],
  },
  instances: {
    list: ["LIST", "/api/v1/instances", [], "suspended limit after"],
    suspend: ["POST", "/api/v1/instances/suspend", ["ids"], "due dueIn zone calendar"],
    activate: ["POST", "/api/v1/instances/activate", ["ids"], "due dueIn zone calendar"],
  },
  definitions: {
    suspend: ["POST", "/api/v1/definitions/suspend", ["ids"], "element type newJobsOnly due dueIn zone calendar"],
    activate: ["POST", "/api/v1/definitions/activate", ["ids"], "element type due dueIn zone calendar"],
    list: ["LIST", "/api/v1/definitions", [], "definition element type limit after"],
    get: ["GET", "/api/v1/definitions/{name}", ["name"], ""],
    set: ["PUT", "/api/v1/definitions/{name}", ["name"], "priority retryCycle category exclusive override cascade dryRun"],
    delete: ["DELETE", "/api/v1/definitions/{name}", ["name"], ""],
  },
  tenants: {
    list: ["LIST", "/api/v1/tenants", [], "suspended limit after"],
    suspend: ["POST", "/api/v1/tenants/suspend", ["ids"], "due dueIn zone calendar"],
    activate: ["POST", "/api/v1/tenants/activate", ["ids"], "due dueIn zone calendar"],
  },
  limits: {
    list: ["LIST", "/api/v1/limits", [], ""],
    set: ["PUT", "/api/v1/limits/{limit}", ["limit"], "concurrent perNode rate"],
    delete: ["DELETE", "/api/v1/limits/{limit}", ["limit"], ""],
  },
  locks: {
    list: ["LIST", "/api/v1/locks", [], "limit after"],
    acquire: ["POST", "/api/v1/locks/{lock}/acquire", ["lock"], "owner duration"],
    renew: ["POST", "/api/v1/locks/{lock}/renew", ["lock"], "owner duration"],
    release: ["DELETE", "/api/v1/locks/{lock}", ["lock"], "owner"],
  },
  nodes: {
    list: ["LIST", "/api/v1/nodes", [], ""],
    drain: ["POST", "/api/v1/nodes/{node}/drain", ["node"], ""],
    resume: ["POST", "/api/v1/nodes/{node}/resume", ["node"], ""],
  },
  types: {
    list: ["LIST", "/api/v1/types", [], "soon"],
  },
  rates: {
    list: ["LIST", "/api/v1/rates", [], "last type"],
    types: ["GET", "/api/v1/rates/types", [], "last"],
  },
  log: {
    list: ["LIST", "/api/v1/log", [], "job type definition instance element tenant node event why since until limit after"],
    delete: ["DELETE", "/api/v1/log", [], "before"],
    get: ["GET", "/api/v1/log/{line}", ["line"], ""],
  },
  incidents: {
    list: ["LIST", "/api/v1/incidents", [], "each resolved job type definition instance rootInstance cause tenant since until limit after"],
    get: ["GET", "/api/v1/incidents/{job}", ["job"], ""],
    annotate: ["PUT", "/api/v1/incidents/{job}/note", ["job"], "note"],
    resolve: ["POST", "/api/v1/incidents/resolve", ["jobs"], "type definition instance rootInstance cause tenant since until all dryRun", true],
  },
  audit: {
    list: ["LIST", "/api/v1/audit", [], "who action since until limit after"],
    delete: ["DELETE", "/api/v1/audit", [], "before"],
  },
  top: {
    get: ["GET", "/api/v1/top", [], "soon"],
  },
  doctor: {
    list: ["LIST", "/api/v1/doctor", [], ""],
  },
  settings: {
    get: ["GET", "/api/v1/settings", [], ""],
  },
};
