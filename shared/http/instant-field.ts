import * as v from 'valibot';
import { parseInstant } from '../time/instant.ts';

/** Parses an ISO 8601 date-time, UTC where it has no offset, as epoch milliseconds. */
export const toInstant = v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
  const at = parseInstant(dataset.value);
  if (at !== null) return at;
  addIssue({ message: 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z' });
  return NEVER;
});
