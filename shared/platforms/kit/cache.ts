/** Answers that are the same for everybody, kept in memory for a while. */
export interface Cache<T> {
  /** Returns the stored answer of a key, or reads it. Concurrent reads of one key share one request; failures are not kept. */
  get: (key: string, now: number, read: () => Promise<T>) => Promise<T>;
}

const MAX_KEYS = 500;

export function createCache<T>(maxAgeMs: number): Cache<T> {
  const entries = new Map<string, { at: number; answer: Promise<T> }>();
  return {
    get: (key, now, read) => {
      const stored = entries.get(key);
      if (stored && now - stored.at < maxAgeMs) return stored.answer;
      if (entries.size >= MAX_KEYS) entries.clear();
      const answer = read().catch((error: unknown) => {
        entries.delete(key);
        throw error;
      });
      entries.set(key, { at: now, answer });
      return answer;
    },
  };
}
