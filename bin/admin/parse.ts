import * as v from 'valibot';
import { keyNameField } from '../../functions/workspace/fields.ts';
import { PLATFORM_IDS, PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import { PLANS, PlanSchema, type Plan } from '../../shared/model/workspace.ts';

/* Values of the command line. Each function throws an error for the operator. */

export function parsePlan(text: string | undefined): Plan {
  const parsed = v.safeParse(PlanSchema, text);
  if (!parsed.success) throw new Error(`--plan must be one of ${PLANS.join(', ')}`);
  return parsed.output;
}

export function parseEmail(text: string | undefined): string {
  const parsed = v.safeParse(v.pipe(v.string(), v.trim(), v.email()), text);
  if (!parsed.success) throw new Error('--owner-email must be an e-mail address');
  return parsed.output;
}

/** Parses `--name` as the API parses the names of keys. */
export function parseName(text: string | undefined): string {
  const parsed = v.safeParse(keyNameField, text);
  if (!parsed.success) throw new Error(`--name: ${parsed.issues[0].message}`);
  return parsed.output;
}

export function parsePlatform(text: string | undefined): PlatformId {
  const parsed = v.safeParse(PlatformIdSchema, text);
  if (!parsed.success) throw new Error(`PLATFORM must be one of ${PLATFORM_IDS.join(', ')}`);
  return parsed.output;
}
