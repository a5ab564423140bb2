package jobstrand;

import java.util.Optional;

/**
 * What became of a job that was enqueued.
 *
 * @param id the job's; that of the other job, if this one is not new
 * @param isNew false: another job has its unique key and was kept
 * @param replaced the id of the job that made room for it, if one did
 */
public record Enqueued(String id, boolean isNew, Optional<String> replaced) {}
