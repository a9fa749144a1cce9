/**
 * Returns the results of all promises. Throws the first error, but only once every promise has settled: work that outlives
 * its invocation is frozen with it.
 */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  const failed = results.find(result => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
}
