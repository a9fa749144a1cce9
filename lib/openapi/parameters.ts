import * as v from 'valibot';
import type { Route } from '../../shared/http/route.ts';
import { isIdName } from '../../shared/model/id.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { toSchema } from './json-schema.ts';
import type { Schema, Schemas } from './schema.ts';
import { typeName } from './names.ts';
import { entryOf } from './vocabulary/index.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

/** Returns the parameters of path and query, and the idempotency key. */
export function parametersOf(route: Route, named: Schemas): (Parameter | { $ref: string })[] {
  const idempotency = route.creates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...pathParameters(route, named), ...queryParameters(route, named), ...idempotency];
}

function pathParameters({ path }: Route, named: Schemas): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match): Parameter => {
    const name = match[1] ?? '';
    return {
      name,
      in: 'path',
      required: true,
      description: pathDescription(path, name),
      schema: pathSchema(name, named),
    };
  });
}

/** `id` is the id of what the path names before it. */
function pathDescription(path: string, name: string): string {
  const resource = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  if (name === 'id') return `Id of the ${RESOURCES[resource] ?? resource}`;
  return entryOf('', name)?.description ?? name;
}

const RESOURCES: Readonly<Record<string, string>> = {
  posts: 'post',
  profiles: 'profile',
  media: 'media asset',
  playlists: 'playlist',
  members: 'member',
  'api-keys': 'API key',
  integrations: 'connected account',
  webhooks: 'webhook',
};

function pathSchema(name: string, named: Schemas): Schema {
  if (isIdName(name)) return { type: 'string', format: 'uuid' };
  if (name === 'platform') return toSchema(PlatformIdSchema, 'input', named);
  return { type: 'string' };
}

function queryParameters(route: Route, named: Schemas): Parameter[] {
  const { properties = {}, required = [] } = toSchema(
    v.object(route.query ?? {}),
    'input',
    named,
    typeName(route, 'Query'),
  );
  return Object.entries(properties).map(([name, { description = '', ...schema }]): Parameter => {
    const own = schema.$ref === undefined ? description : (entryOf('', name)?.description ?? name);
    return { name, in: 'query', required: required.includes(name), description: own, schema };
  });
}
