import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../model/json.ts';
import { base32 } from './xrpc.ts';

export interface SandboxAccount {
  did: string;
  handle: string;
  displayName: string | null;
  mainPassword: string;
  /** Good app passwords; one that was revoked is gone. */
  appPasswords: Set<string>;
  usedPasswords: Set<string>;
  status: 'active' | 'takendown' | 'deactivated';
  secondFactor: boolean;
  /** Tokens up to this serial are dead. */
  accessDeadUntil: number;
  refreshDeadUntil: number;
}

export const PDS_HOST = 'morel.us-east.host.bsky.network';
export const DEMO = { identifier: 'demo.bsky.social', app_password: 'demo-demo-demo-demo' };

/** One account for each case that a client meets. App passwords: the table's, main password `<name>-main-password`. */
const SEEDS = [
  { name: 'demo', displayName: 'Demo', appPasswords: [DEMO.app_password, 'demo-demo-demo-more'] },
  { name: 'alice', displayName: 'Alice', appPasswords: ['test-test-test-test'] },
  { name: 'bob', displayName: null, appPasswords: ['test-test-test-test'] },
  { name: 'twofactor', displayName: null, appPasswords: ['test-test-test-test'], secondFactor: true },
  { name: 'takendown', displayName: null, appPasswords: ['test-test-test-test'], status: 'takendown' },
  { name: 'deactivated', displayName: null, appPasswords: ['test-test-test-test'], status: 'deactivated' },
] as const;

export function seedAccounts(): SandboxAccount[] {
  return SEEDS.map(seed => {
    const handle = `${seed.name}.bsky.social`;
    return {
      did: didOf(handle),
      handle,
      displayName: seed.displayName,
      mainPassword: `${seed.name}-main-password`,
      appPasswords: new Set(seed.appPasswords),
      usedPasswords: new Set<string>(),
      status: 'status' in seed ? seed.status : 'active',
      secondFactor: 'secondFactor' in seed,
      accessDeadUntil: 0,
      refreshDeadUntil: 0,
    };
  });
}

/** The same account has the same DID after every start. */
function didOf(handle: string): string {
  return `did:plc:${base32(createHash('sha256').update(handle).digest()).slice(0, 24)}`;
}

export function didDocument({ did, handle }: SandboxAccount): JsonObject {
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [],
    service: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        serviceEndpoint: `https://${PDS_HOST}`,
      },
    ],
  };
}

/** `app.bsky.actor.defs#profileViewBasic`, and what the detailed view adds. */
export function profileOf({ did, handle, displayName }: SandboxAccount): JsonObject {
  const cid = `bafkrei${base32(createHash('sha512').update(did).digest()).slice(0, 52)}`;
  return {
    did,
    handle,
    ...(displayName === null
      ? {}
      : { displayName, avatar: `https://cdn.bsky.app/img/avatar/plain/${did}/${cid}@jpeg` }),
  };
}
