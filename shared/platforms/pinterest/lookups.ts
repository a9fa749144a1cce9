import * as v from 'valibot';
import { defineLookup, type LookupAccount, type PlatformLookups } from '../contract/lookups.ts';
import type { HttpClient } from '../../net/http.ts';
import { apiRoot } from './app.ts';
import type { Caller } from './call.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';

const boards = defineLookup(CredentialsSchema, {
  name: 'boards',
  operation_id: 'listPinterestBoards',
  method: 'GET',
  summary: 'List the boards of a Pinterest account',
  description:
    'Boards for `pinterest_board_id`, read from Pinterest; boards of others that the account can pin to are included.',
  input: {},
  answer: v.object({
    boards: v.array(
      v.object({
        board_id: v.string(),
        name: v.string(),
        description: v.nullable(v.string()),
        privacy: v.nullable(v.pipe(v.string(), v.description('`PUBLIC`, `PROTECTED` or `SECRET`'))),
        pin_count: v.nullable(v.number()),
        image_url: v.nullable(v.string()),
      }),
    ),
    total: v.number(),
  }),
  run: async (account, _, { http }) => {
    const { listBoards } = await import('./client.ts');
    const found = await listBoards(callerOf(account, http));
    const views = found.map(({ id, name, description, privacy, pin_count, media }) => ({
      board_id: id,
      name,
      description,
      privacy,
      pin_count,
      image_url: media?.image_cover_url ?? null,
    }));
    return { boards: views, total: views.length };
  },
});

const sections = defineLookup(CredentialsSchema, {
  name: 'board-sections',
  operation_id: 'listPinterestBoardSections',
  method: 'GET',
  summary: 'List the sections of a Pinterest board',
  description: 'Sections for `pinterest_board_section_id`, read from Pinterest.',
  input: {
    board_id: v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'Must be a board id: digits only'),
      v.description('Board, as returned by GET /integrations/pinterest/boards'),
    ),
  },
  answer: v.object({
    sections: v.array(v.object({ section_id: v.string(), name: v.string() })),
    total: v.number(),
  }),
  run: async (account, { board_id }, { http }) => {
    const { listSections } = await import('./client.ts');
    const found = await listSections(callerOf(account, http), board_id);
    const views = found.map(({ id, name }) => ({ section_id: id, name }));
    return { sections: views, total: views.length };
  },
});

export const lookups: PlatformLookups = [boards, sections];

const callerOf = ({ app, credentials }: LookupAccount<Credentials>, http: HttpClient): Caller => ({
  http,
  root: apiRoot(app),
  token: credentials.access_token,
});
