/**
 * Options of test servers: keep idle connections longer than any test runs. The default closes them after five seconds,
 * which may break the next request on a machine that stalls.
 */
export const PATIENT = { keepAliveTimeout: 600_000, requestTimeout: 0 } as const;
