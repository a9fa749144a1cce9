import { isIP } from 'node:net';
import * as v from 'valibot';
import { validationFailed } from '../../shared/http/errors.ts';
import { textOfLength } from '../../shared/http/fields.ts';
import { EVENT_KINDS, EventKindSchema } from '../../shared/model/event.ts';
import { isPublicAddress } from '../../shared/net/address.ts';
import { HttpFailure } from '../../shared/net/failure.ts';
import { assertPublicUrl } from '../../shared/net/public-url.ts';
import type { Resolve } from '../../shared/net/resolve.ts';
import { readNetSettings, type NetSettings } from '../../shared/net/settings.ts';

const MAX_URL = 2048;
const MAX_DESCRIPTION = 200;

const LOOPBACK_NAMES = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
/** Names of the local network. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal)\.?$/;

export const urlField = v.pipe(
  v.string(),
  v.maxLength(MAX_URL, `Must be at most ${MAX_URL} characters`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const message of urlErrors(dataset.value, readNetSettings())) addIssue({ message });
  }),
);

export const eventsField = v.pipe(
  v.array(v.picklist(EVENT_KINDS, `Must be one of ${EVENT_KINDS.join(', ')}`)),
  v.minLength(1, 'Must name at least one event'),
  v.transform((events): v.InferOutput<typeof EventKindSchema>[] => [...new Set(events)]),
);

export const descriptionField = v.nullable(textOfLength(0, MAX_DESCRIPTION));

/** Returns every error of a receiver's URL that needs no DNS lookup. */
export function urlErrors(text: string, { allowLoopback }: NetSettings): string[] {
  if (!URL.canParse(text)) return ['Must be a URL'];
  const url = new URL(text);
  const ownMachine = allowLoopback && LOOPBACK_NAMES.test(url.hostname);
  const errors: string[] = [];
  if (url.protocol !== 'https:' && !(ownMachine && url.protocol === 'http:')) errors.push('Must use https');
  if (url.username !== '' || url.password !== '') errors.push('Must not contain credentials');
  if (!ownMachine && isLocal(url.hostname)) errors.push('Must be a public address');
  return errors;
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? LOCAL_NAMES.test(host) : !isPublicAddress(host, false);
}

/** Throws a 400 when the host does not resolve or resolves to an address that is not public. */
export async function assertReceiver(url: string, resolve?: Resolve): Promise<void> {
  try {
    await assertPublicUrl(url, readNetSettings(), resolve);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw validationFailed([{ field: 'url', message: error.message, platform: null }]);
  }
}
