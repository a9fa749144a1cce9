import type { GenericSchema } from 'valibot';
import type { SandboxCollection } from '../../shared/platforms/contract/sandbox.ts';
import type { LocalStore } from '../store.ts';

/** A collection held in memory; with a store every change is also written there. */
export function openCollection<T>(
  store: LocalStore | null,
  name: string,
  schema: GenericSchema<unknown, T>,
): SandboxCollection<T> {
  const stored = store?.collection(`sandbox:${name}`, schema);
  const items = new Map(stored?.all('insertion').map(item => [item.name, item.value]));
  return {
    get: key => items.get(key),
    set: (key, value) => {
      items.set(key, value);
      stored?.set(key, value);
    },
    delete: key => {
      stored?.delete(key);
      return items.delete(key);
    },
    values: () => [...items.values()],
    entries: () => [...items],
    clear: () => {
      for (const key of items.keys()) stored?.delete(key);
      items.clear();
    },
  };
}
