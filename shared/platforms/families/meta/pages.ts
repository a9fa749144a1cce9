import * as v from 'valibot';
import { PlatformError } from '../../contract/error.ts';
import type { GraphClient } from './graph.ts';
import { GraphId } from './json.ts';

const text = v.fallback(v.nullish(v.string(), null), null);

const PageSchema = v.object({
  id: GraphId,
  name: v.string(),
  username: text,
  /** Missing where the user has no role on a Page of the business. */
  access_token: text,
  /** What the user may do on the Page; missing for Pages of a business. */
  tasks: v.fallback(v.nullish(v.array(v.string()), null), null),
  picture: v.fallback(v.nullish(v.object({ data: v.object({ url: v.string() }) }), null), null),
  instagram_business_account: v.fallback(
    v.nullish(v.object({ id: GraphId, username: text, name: text, profile_picture_url: text }), null),
    null,
  ),
});

/** A Page of the user with a token that acts for it. */
export interface Page extends Pick<
  v.InferOutput<typeof PageSchema>,
  'id' | 'name' | 'username' | 'tasks' | 'instagram_business_account'
> {
  access_token: string;
  picture_url: string | null;
}

const PAGE_FIELDS = 'id,name,username,access_token,tasks,picture.type(large){url}';
const INSTAGRAM_FIELDS = 'instagram_business_account{id,username,name,profile_picture_url}';
const PAGE_SIZE = '100';
/** Guards against a cursor that never ends. */
const MAX_REQUESTS = 50;

/**
 * Lists the Pages of a user, those of the user's businesses included. `instagram`: with the Instagram account that is
 * linked to each, which needs the permission `instagram_basic`.
 */
export async function listPages(
  client: GraphClient,
  { instagram, scopes }: { instagram: boolean; scopes: readonly string[] },
): Promise<Page[]> {
  const fields = instagram ? `${PAGE_FIELDS},${INSTAGRAM_FIELDS}` : PAGE_FIELDS;
  const own = await readPages(client, '/me/accounts', fields);
  const ofBusinesses = scopes.includes('business_management') ? await businessPages(client, fields) : [];
  const byId = new Map([...ofBusinesses, ...own].map(page => [page.id, page]));
  return [...byId.values()];
}

/** True where the user may publish on the Page. */
export function mayPublish({ tasks }: Pick<Page, 'tasks'>): boolean {
  return tasks === null || tasks.includes('CREATE_CONTENT') || tasks.includes('MANAGE');
}

/** Pages that a business owns or manages for clients can be missing in the user's list. Best effort. */
async function businessPages(client: GraphClient, fields: string): Promise<Page[]> {
  try {
    const businesses = await readAll(client, '/me/businesses', 'id,name', v.object({ id: GraphId }));
    const paths = businesses.flatMap(({ id }) => [`/${id}/owned_pages`, `/${id}/client_pages`]);
    const pages: Page[] = [];
    for (const path of paths) pages.push(...(await readPages(client, path, fields).catch(ignoreRefusal)));
    return pages;
  } catch (error) {
    return ignoreRefusal(error);
  }
}

function ignoreRefusal(error: unknown): never[] {
  if (error instanceof PlatformError && error.kind !== 'token_expired') return [];
  throw error;
}

async function readPages(client: GraphClient, path: string, fields: string): Promise<Page[]> {
  const pages = await readAll(client, path, fields, PageSchema);
  return pages.flatMap(({ access_token, picture, ...page }) =>
    access_token === null ? [] : [{ ...page, access_token, picture_url: picture?.data.url ?? null }],
  );
}

/** Reads all items of an edge. Follows the cursor instead of the URL in the response, which holds the token. */
async function readAll<T>(
  client: GraphClient,
  path: string,
  fields: string,
  item: v.GenericSchema<unknown, T>,
): Promise<T[]> {
  const schema = v.object({
    data: v.array(item),
    paging: v.optional(
      v.object({ cursors: v.optional(v.object({ after: v.string() })), next: v.optional(v.string()) }),
    ),
  });
  const items: T[] = [];
  let after: string | null = null;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    const query: Record<string, string> = { fields, limit: PAGE_SIZE, ...(after === null ? {} : { after }) };
    const { data, paging } = await client.call(
      { what: 'Listing the Pages', purpose: 'read', method: 'GET', path, query },
      schema,
    );
    items.push(...data);
    const next = paging?.next === undefined ? null : (paging.cursors?.after ?? null);
    if (next === null || next === after) return items;
    after = next;
  }
  return items;
}
