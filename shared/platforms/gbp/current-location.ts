import { isMissing } from './errors.ts';
import { listAccounts, listLocations } from './locations.ts';
import { callerOf, locationOf, type Context } from './state.ts';

/**
 * Makes a call with the location's name in the API of posts, `accounts/{id}/locations/{id}`. A location that moved to
 * another account of the user has another name: it is looked up, and the call is repeated.
 */
export async function atLocation<T>(context: Context, call: (parent: string) => Promise<T>): Promise<T> {
  const { id, attributes } = locationOf(context);
  const parent = attributes['parent'] ?? '';
  try {
    return await call(parent);
  } catch (error) {
    const current = isMissing(error) ? await currentParent(context, id) : null;
    if (current === null || current === parent) throw error;
    return call(current);
  }
}

/** Returns the name of a location under the account that has it now; null where the user has it no more. */
async function currentParent(context: Context, id: string): Promise<string | null> {
  const caller = callerOf(context);
  const locations = await listLocations(caller, await listAccounts(caller));
  return locations.find(location => location.id === id)?.parent ?? null;
}
