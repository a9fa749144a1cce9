/**
 * How a server of a test listens: it keeps idle connections for longer than any test runs. By default it closes them
 * after five seconds, and where the machine stalls for so long it does so under the next request.
 */
export const PATIENT = { keepAliveTimeout: 600_000, requestTimeout: 0 } as const;
