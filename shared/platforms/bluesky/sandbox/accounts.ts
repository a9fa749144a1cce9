import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import type { SandboxCollection } from '../../contract/sandbox.ts';
import { base32 } from './xrpc.ts';

const STATUSES = ['active', 'takendown', 'suspended', 'deactivated'] as const;
const MOVES = ['deactivated', 'deleted'] as const;

export const AccountSchema = v.object({
  did: v.string(),
  handle: v.string(),
  displayName: v.nullable(v.string()),
  mainPassword: v.string(),
  /** Valid app passwords. */
  appPasswords: v.array(v.string()),
  /** App passwords that have logged in. */
  usedPasswords: v.array(v.string()),
  status: v.picklist(STATUSES),
  /** Set after the account moved to NEW_PDS_HOST: what became of its copy here. */
  moved: v.nullable(v.picklist(MOVES)),
  secondFactor: v.boolean(),
  /** Tokens with this serial or a lower one are invalid. */
  accessInvalidUntil: v.number(),
  refreshInvalidUntil: v.number(),
});
export type SandboxAccount = v.InferOutput<typeof AccountSchema>;

/** Changes of an account by `POST /_control/accounts`. */
export const ChangeSchema = v.strictObject({
  status: v.exactOptional(v.picklist(STATUSES)),
  moved: v.exactOptional(v.nullable(v.picklist(MOVES))),
});

export const PDS_HOST = 'morel.us-east.host.bsky.network';
/** Where moved accounts are. It knows neither their old tokens nor their app passwords. */
export const NEW_PDS_HOST = 'shimeji.us-east.host.bsky.network';
export const DEMO = { identifier: 'demo.bsky.social', app_password: 'demo-demo-demo-demo' };

/** One test account for each case. The main password is `<name>-main-password`. */
const SEEDS = [
  { name: 'demo', displayName: 'Demo', appPasswords: [DEMO.app_password, 'demo-demo-demo-more'] },
  { name: 'alice', displayName: 'Alice', appPasswords: ['test-test-test-test'] },
  { name: 'bob', displayName: null, appPasswords: ['test-test-test-test'] },
  { name: 'twofactor', displayName: null, appPasswords: ['test-test-test-test'], secondFactor: true },
  { name: 'takendown', displayName: null, appPasswords: ['test-test-test-test'], status: 'takendown' },
  { name: 'suspended', displayName: null, appPasswords: ['test-test-test-test'], status: 'suspended' },
  { name: 'deactivated', displayName: null, appPasswords: ['test-test-test-test'], status: 'deactivated' },
] as const;

/** Replaces all accounts by the test accounts. */
export function seedAccounts(accounts: SandboxCollection<SandboxAccount>): void {
  accounts.clear();
  for (const seed of SEEDS) {
    const handle = `${seed.name}.bsky.social`;
    const did = didOf(handle);
    accounts.set(did, {
      did,
      handle,
      displayName: seed.displayName,
      mainPassword: `${seed.name}-main-password`,
      appPasswords: [...seed.appPasswords],
      usedPasswords: [],
      status: 'status' in seed ? seed.status : 'active',
      moved: null,
      secondFactor: 'secondFactor' in seed,
      accessInvalidUntil: 0,
      refreshInvalidUntil: 0,
    });
  }
}

/** Derives the DID from the handle, so that it is the same after every start. */
function didOf(handle: string): string {
  return `did:plc:${base32(createHash('sha256').update(handle).digest()).slice(0, 24)}`;
}

export function didDocument({ did, handle, moved }: SandboxAccount): JsonObject {
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [],
    service: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        serviceEndpoint: `https://${moved === null ? PDS_HOST : NEW_PDS_HOST}`,
      },
    ],
  };
}

/** Members of `app.bsky.actor.defs#profileViewBasic`. */
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
