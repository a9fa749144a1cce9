import { Hono, type Context } from 'hono';
import type { JsonObject } from '../../../model/json.ts';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { DEMO, didDocument, NEW_PDS_HOST, PDS_HOST, profileOf, type SandboxAccount } from './accounts.ts';
import { facetLinks } from './links.ts';
import { createLimits, limited, rateHeaders } from './limits.ts';
import { createRepo, type Write } from './repo.ts';
import { assertActive, createSessions } from './sessions.ts';
import {
  inputOf,
  invalid,
  isObject,
  parameter,
  text,
  XrpcError,
  type XrpcCall,
  type XrpcResult,
} from './xrpc.ts';

interface Method {
  verb: 'GET' | 'POST';
  run: (call: XrpcCall) => XrpcResult | Promise<XrpcResult>;
}

const APPVIEW_HOST = 'public.api.bsky.app';
const SERVER_HOSTS = ['bsky.social', PDS_HOST, NEW_PDS_HOST];
const APPVIEW_METHODS = [
  'app.bsky.actor.getProfile',
  'app.bsky.feed.getPosts',
  'com.atproto.identity.resolveHandle',
];

const HOUR = { limit: 5000, seconds: 3600 };
const WRITES = [HOUR, { limit: 35_000, seconds: 86_400 }];
const UPLOADS = [{ limit: 1000, seconds: 86_400 }];
const POINTS = { create: 3, update: 2, delete: 1 };

/** Bluesky: the entryway, a PDS, the AppView's public reads, and the DID directory. */
export const sandbox: SandboxDefinition = {
  platform: 'bluesky',
  badge: { name: 'Bluesky', letters: 'B', color: '#0a6fe0' },
  hosts: [...SERVER_HOSTS, APPVIEW_HOST, 'plc.directory'],
  links: facetLinks,
  demo: { body: { ...DEMO } },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const limits = createLimits(host.now);
  const sessions = createSessions(host, limits);
  const repo = createRepo(host);

  const { find, authenticate } = sessions;

  async function uploadBlob(call: XrpcCall): Promise<XrpcResult> {
    const { account } = authenticate(call);
    assertActive(account);
    const type = call.headers.get('content-type');
    if (type === null) throw invalid('Request encoding (Content-Type) required but not provided');
    if (call.body.byteLength === 0) throw invalid('A request body is expected but none was provided');
    const headers = limits.spend(`upload ${account.did}`, 1, UPLOADS);
    return { body: { blob: await repo.upload(account, call.body, type) }, headers };
  }

  /** Checks that the caller may write and spends the points. */
  function write(call: XrpcCall, points: number) {
    const { account } = authenticate(call);
    assertActive(account);
    const input = inputOf(call);
    const name = text(input, 'repo');
    const owner = find(name);
    if (!owner) throw new XrpcError(403, 'AccountNotFound', `Could not find account: ${name}`);
    if (owner.did !== account.did)
      throw new XrpcError(401, 'AuthenticationRequired', 'Authentication Required');
    checkAnnouncedLimit(host, account);
    return { account, input, headers: limits.spend(`write ${account.did}`, points, WRITES) };
  }

  function putRecord(call: XrpcCall): XrpcResult {
    const { account, input, headers } = write(call, POINTS.update);
    return { body: repo.put(account, writeOf(input)), headers };
  }

  function createRecord(call: XrpcCall): XrpcResult {
    const { account, input, headers } = write(call, POINTS.create);
    return { body: repo.create(account, writeOf({ rkey: repo.nextKey(), ...input })), headers };
  }

  function deleteRecord(call: XrpcCall): XrpcResult {
    const { account, input, headers } = write(call, POINTS.delete);
    return { body: repo.remove(account, text(input, 'collection'), text(input, 'rkey')), headers };
  }

  function getRecord(call: XrpcCall): XrpcResult {
    const name = parameter(call, 'repo');
    const [collection, rkey] = [parameter(call, 'collection'), parameter(call, 'rkey')];
    const account = find(name);
    if (!account || account.moved === 'deleted') throw invalid(`Could not find repo: ${name}`);
    const { uri, cid, value } = repo.read(account, collection, rkey);
    return { body: { uri, cid, value } };
  }

  function resolveHandle(call: XrpcCall): XrpcResult {
    const handle = parameter(call, 'handle');
    if (!/^[a-z0-9.-]+\.[a-z0-9-]+$/i.test(handle)) throw invalid('Params/handle must be a valid handle');
    const account = find(handle);
    if (account) return { body: { did: account.did } };
    if (call.host === PDS_HOST) throw new XrpcError(400, 'HandleNotFound', 'Unable to resolve handle');
    throw invalid('Unable to resolve handle');
  }

  function getProfile(call: XrpcCall): XrpcResult {
    if (call.host !== APPVIEW_HOST) authenticate(call);
    const account = find(parameter(call, 'actor'));
    if (!account) throw invalid('Profile not found');
    const postsCount = repo.countOf(account);
    return { body: { ...profileOf(account), followersCount: 1, followsCount: 1, postsCount } };
  }

  function getPosts(call: XrpcCall): XrpcResult {
    const uris = call.query.getAll('uris');
    if (uris.length === 0) throw invalid('Params must have the property "uris"');
    if (uris.length > 25) throw invalid('uris must not have more than 25 elements');
    return { body: { posts: uris.flatMap(uri => postView(uri)) } };
  }

  /** Deleted posts are missing in the response. */
  function postView(uri: string): JsonObject[] {
    const record = repo.find(uri);
    const account = find(uri.split('/')[2] ?? '');
    if (!record || !account) return [];
    const { likes = 0, comments = 0, shares = 0 } = host.metrics('bluesky', uri) ?? {};
    const { cid, value, indexedAt } = record;
    const counts = {
      likeCount: likes,
      replyCount: comments,
      repostCount: shares,
      quoteCount: 0,
      bookmarkCount: 0,
    };
    return [{ uri, cid, author: profileOf(account), record: value, ...counts, indexedAt }];
  }

  function describeServer(): XrpcResult {
    return {
      body: { did: 'did:web:bsky.social', availableUserDomains: ['.bsky.social'], inviteCodeRequired: false },
    };
  }

  const methods: Readonly<Record<string, Method>> = {
    'com.atproto.server.createSession': { verb: 'POST', run: sessions.create },
    'com.atproto.server.refreshSession': { verb: 'POST', run: sessions.refresh },
    'com.atproto.server.deleteSession': { verb: 'POST', run: sessions.end },
    'com.atproto.server.describeServer': { verb: 'GET', run: describeServer },
    'com.atproto.repo.uploadBlob': { verb: 'POST', run: uploadBlob },
    'com.atproto.repo.putRecord': { verb: 'POST', run: putRecord },
    'com.atproto.repo.createRecord': { verb: 'POST', run: createRecord },
    'com.atproto.repo.deleteRecord': { verb: 'POST', run: deleteRecord },
    'com.atproto.repo.getRecord': { verb: 'GET', run: getRecord },
    'com.atproto.identity.resolveHandle': { verb: 'GET', run: resolveHandle },
    'app.bsky.actor.getProfile': { verb: 'GET', run: getProfile },
    'app.bsky.feed.getPosts': { verb: 'GET', run: getPosts },
  };

  async function respond(context: Context): Promise<Response> {
    const { host: server = '', method: name = '' } = context.req.param() as Record<string, string>;
    const method = methods[name];
    const isServer = SERVER_HOSTS.includes(server);
    const isAppView = server === APPVIEW_HOST && APPVIEW_METHODS.includes(name);
    if (!method || (!isServer && !isAppView)) {
      throw new XrpcError(501, 'MethodNotImplemented', 'Method Not Implemented');
    }
    const { method: verb, url, raw } = context.req;
    if (verb !== method.verb) throw invalid(`Incorrect HTTP method (${verb}) expected ${method.verb}`);
    const { body, headers = {} } = await method.run({
      host: server,
      query: new URL(url).searchParams,
      headers: raw.headers,
      body: new Uint8Array(await context.req.arrayBuffer()),
    });
    return body === null ? context.body(null, 200, headers) : context.json(body, 200, headers);
  }

  const app = new Hono();
  app.get('/plc.directory/:did', context => {
    const account = find(context.req.param('did'));
    if (!account) return context.json({ message: `DID not registered: ${context.req.param('did')}` }, 404);
    return context.body(JSON.stringify(didDocument(account)), 200, {
      'content-type': 'application/did+ld+json',
    });
  });
  app.all('/:host/xrpc/:method', respond);
  app.notFound(context => context.json({ error: 'NotFound', message: 'Not Found' }, 404));
  app.onError((error, context) => {
    if (!(error instanceof XrpcError)) throw error;
    const { status, headers, message } = error;
    return context.json({ error: error.error, message }, status as 400, headers);
  });

  return {
    app,
    tokens: sessions.endTokens,
    change: sessions.change,
    reset: () => {
      sessions.reset();
      limits.reset();
      repo.reset();
    },
  };
}

function writeOf(input: JsonObject): Write {
  const { record, swapRecord } = input;
  if (record === undefined) throw invalid('Input must have the property "record"');
  if (!isObject(record)) throw invalid('Input/record must be an object');
  if (swapRecord !== undefined && swapRecord !== null && typeof swapRecord !== 'string') {
    throw invalid('Input/swapRecord must be a string');
  }
  return { collection: text(input, 'collection'), rkey: text(input, 'rkey'), record, swapRecord, input };
}

/** Throws 429 while a limit set by `POST /_control/limits` applies. */
function checkAnnouncedLimit(host: SandboxHost, { did }: SandboxAccount): void {
  const limit = host.limit('bluesky', did);
  if (!limit || Number(limit['remaining'] ?? 0) > 0) return;
  const seconds = Number(limit['retry_after'] ?? 60);
  const headers = rateHeaders(HOUR.limit, 0, host.now() + seconds * 1000, HOUR.seconds);
  throw limited(headers, seconds);
}
