import { defineLookup, type PlatformLookups } from '../contract/lookups.ts';
import { CredentialsSchema, noticeboardClient, SectionsSchema } from './client.ts';

export const lookups: PlatformLookups = [
  defineLookup(CredentialsSchema, {
    name: 'sections',
    method: 'GET',
    operation_id: 'listNoticeboardSections',
    summary: 'List the sections of a board',
    input: {},
    answer: SectionsSchema,
    run: (account, _input, { http }) => noticeboardClient(http, account.credentials.token).sections(),
  }),
];
