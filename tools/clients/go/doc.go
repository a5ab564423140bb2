// Package jobstrand enqueues background jobs in Jobstrand, in the transaction of the app or over HTTP, and works on them.
//
// [Enqueue] adds a job in the app's own transaction, [Client] asks a service, and a [Worker] runs handlers for jobs that
// were enqueued as external. Nothing but the standard library is needed. What holds when something fails is told in
// docs/clients.md of Jobstrand.
package jobstrand
