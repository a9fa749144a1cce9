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

/**
 * Makes a call with the name of a post or gallery item of the location, which contains the name of the location: it changes
 * when the location moves.
 */
export const atItem = <T>(context: Context, name: string, call: (name: string) => Promise<T>): Promise<T> =>
  atLocation(context, parent => call(name.replace(LOCATION, parent)));

const LOCATION = /^accounts\/[^/]+\/locations\/[^/]+/;

/** Returns the name of a location under the account that has it now; null where the user has it no more. */
async function currentParent(context: Context, id: string): Promise<string | null> {
  const caller = callerOf(context);
  const locations = await listLocations(caller, await listAccounts(caller));
  return locations.find(location => location.id === id)?.parent ?? null;
}
