/**
 * Enqueues background jobs in Jobstrand, in the transaction of the app or over HTTP, and works on
 * them.
 *
 * <p>{@link jobstrand.JdbcJobs} adds jobs in the app's own transaction, a {@link
 * jobstrand.JobstrandClient} asks a service, and a {@link jobstrand.Worker} runs handlers for jobs
 * that were enqueued as external. What holds when something fails is told in docs/clients.md of
 * Jobstrand.
 */
package jobstrand;
