import type { Context } from 'aws-lambda';
import { randomUUID } from 'node:crypto';
import { newKeyRing } from '../../shared/aws/key-ring.ts';
import type { ApiEvent } from '../../shared/http/event.ts';
import type { Route } from '../../shared/http/route.ts';
import { serve, type ApiHandler } from '../../shared/http/serve.ts';
import type { Plan, Workspace } from '../../shared/model/workspace.ts';
import { createWorkspace } from '../../shared/runtime/bootstrap.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { Table } from '../../shared/store/table.ts';
import { assertDocumented } from './openapi.ts';
import type { Json } from './stack.ts';
import { createTestTable } from './table.ts';

export interface ApiAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed where it is JSON. */
  body: Json;
}

export interface ServedApi {
  services: Services;
  clock: { now: number };
  workspace: Workspace;
  key: string;
  /** Calls a route as the gateway does, with the key of the workspace's owner unless `headers` has another. */
  call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer>;
  /** The same API in another process: own services, same table. */
  inProcessOf: (services: Services) => ServedApi['call'];
  close: () => Promise<void>;
}

export interface ServedOptions {
  plan?: Plan;
  services?: Partial<Services>;
  /** False for routes of a test. Responses of all others must match the OpenAPI document. */
  documented?: boolean;
}

/** Serves routes with the whole middleware stack, on their own table, with a clock that tests set. */
export async function servedApi(
  routes: readonly Route[],
  { plan = 'business', services: own = {}, documented = true }: ServedOptions = {},
): Promise<ServedApi> {
  const table = await createTestTable();
  const ring = newKeyRing();
  // Before the dates in the examples of the OpenAPI document, and not near the end of a month, when counts reset.
  const clock = { now: Date.UTC(2026, 10, 2, 10) };
  const services = {
    table: withoutTimeouts(table),
    keyRing: () => Promise.resolve(ring),
    setting: (name: string) => `setting:${name}`,
    now: () => clock.now,
    ...own,
  } as unknown as Services;
  const owner = { name: 'Test', plan, owner_email: 'owner@example.com' };
  const { workspace, api_key: key } = await createWorkspace(table, owner, clock.now);

  const callOf =
    (handler: ApiHandler): ServedApi['call'] =>
    async (method, path, body, headers = {}) => {
      const event = eventOf(routes, method, path, body, { authorization: `Bearer ${key}`, ...headers });
      const result = await handler(event, {} as Context);
      const text = result.body ?? '';
      const names = Object.entries(result.headers ?? {}).map(([name, value]) => [
        name.toLowerCase(),
        String(value),
      ]);
      const answered = Object.fromEntries(names) as Record<string, string>;
      const isJson = /json/.test(answered['content-type'] ?? '');
      const answer = {
        status: result.statusCode ?? 0,
        headers: answered,
        body: isJson ? JSON.parse(text) : text,
      };
      if (documented) assertDocumented(method, path, answer.status, answer.body);
      return answer;
    };
  return {
    services,
    clock,
    workspace,
    key,
    call: callOf(serve(routes, services)),
    inProcessOf: other => callOf(serve(routes, other)),
    close: () => table.close(),
  };
}

/** Ignores abort signals: the rate limiter would give up on a slow test table and let requests pass. */
function withoutTimeouts({ name, client }: Table): Table {
  const send = (command: never) => client.send(command);
  return { name, client: { send } as unknown as Table['client'] };
}

/** Returns the event that the gateway invokes a function with. */
export function eventOf(
  routes: readonly Route[],
  method: string,
  target: string,
  body: unknown,
  headers: Record<string, string>,
): ApiEvent {
  const url = new URL(target, 'https://api.test');
  const found = routes.flatMap(route => {
    const pathParameters = route.method === method ? match(route.path, url.pathname) : null;
    return pathParameters ? [{ route, pathParameters }] : [];
  });
  const hit = found.sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length)[0];
  if (!hit) throw new Error(`Unknown route ${method} ${target}`);
  const query = Object.fromEntries(url.searchParams);
  const isBase64Encoded = body instanceof Uint8Array;
  const text = isBase64Encoded ? Buffer.from(body).toString('base64') : bodyText(body);
  const rawPath = `/v1${url.pathname}`;
  return {
    version: '2.0',
    routeKey: `${method} /v1${hit.route.path}`,
    rawPath,
    rawQueryString: url.search.slice(1),
    headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    queryStringParameters: query,
    pathParameters: hit.pathParameters,
    requestContext: {
      domainName: 'api.test',
      requestId: randomUUID(),
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
    },
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded,
  } as ApiEvent;
}

const bodyText = (body: unknown) =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body);

function match(template: string, path: string): Record<string, string> | null {
  const parts = path.split('/');
  const expected = template.split('/');
  if (parts.length !== expected.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = parts[index] ?? '';
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return parameters;
}
