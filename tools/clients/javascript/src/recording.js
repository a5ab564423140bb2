/** Where what an app enqueues goes while it is tested: see testing.js. `record` undefined: to the database or the service. */
export const recording = { record: undefined };
