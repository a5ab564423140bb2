/**
 * Jobstrand in Spring Boot: a client, jobs in the transaction of the app, and a worker for the
 * methods that are annotated with {@link jobstrand.spring.JobHandler}.
 */
package jobstrand.spring;
