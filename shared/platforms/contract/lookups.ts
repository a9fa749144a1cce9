import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { HttpClient } from '../../net/http.ts';
import type { ConnectedAccount, Target } from './connector.ts';
import type { Quota } from './quota.ts';

export interface LookupContext {
  /** Counts what requests cost, before they are sent. */
  quota: Quota;
  /** Sends requests to the platform. */
  http: HttpClient;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

/** The account that a lookup is made for; its credentials are fresh. */
export interface LookupAccount<C> extends ConnectedAccount<C> {
  /** The account's default target. */
  target: Target | null;
}

export interface LookupDefinition<C, E extends v.ObjectEntries, A extends JsonObject> {
  /** Last segment of the path: `/integrations/{platform}/{name}`. */
  name: string;
  /** A POST creates something at the platform: it answers 201. */
  method: 'GET' | 'POST';
  /** Name of the operation in generated clients: `listPinterestBoards`. */
  operation_id: string;
  summary: string;
  description?: string;
  /**
   * True where the answer is the same for every account: `profile_name` is optional then, and any account of the workspace
   * on this platform serves.
   */
  any_profile?: true;
  /** For a POST: unknown fields whose name matches answer 400 instead of a warning. */
  refuses_unknown?: RegExp;
  /** Parameters beside `profile_name`: of the query for a GET, of the body for a POST. */
  input: E;
  answer: v.GenericSchema<unknown, A>;
  /** Throws PlatformError. */
  run: (
    account: LookupAccount<C>,
    input: v.InferOutput<v.ObjectSchema<E, undefined>>,
    context: LookupContext,
  ) => Promise<A>;
}

/** A lookup with its types hidden. */
export interface Lookup {
  name: string;
  method: 'GET' | 'POST';
  /** Name of the operation in generated clients: `listPinterestBoards`. */
  operation_id: string;
  summary: string;
  description?: string;
  any_profile?: true;
  refuses_unknown?: RegExp;
  input: v.ObjectEntries;
  answer: v.GenericSchema;
  run: (account: LookupAccount<JsonObject>, input: unknown, context: LookupContext) => Promise<unknown>;
}

/** What `lookups.ts` of a platform exports as `lookups`: each becomes a route below `/integrations/{platform}`. */
export type PlatformLookups = readonly Lookup[];

/** Defines a lookup for accounts with these credentials. */
export function defineLookup<C, E extends v.ObjectEntries, A extends JsonObject>(
  credentials: v.GenericSchema<unknown, C>,
  { run, input, ...definition }: LookupDefinition<C, E, A>,
): Lookup {
  const schema = v.object(input);
  return {
    ...definition,
    input,
    run: async (account, raw, context) => {
      const typed = { ...account, credentials: v.parse(credentials, account.credentials) };
      return run(typed, v.parse(schema, raw), context);
    },
  };
}
