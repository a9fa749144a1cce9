import * as v from 'valibot';
import type { RouteKey } from '../../shared/http/allowed-methods.ts';
import { readAsset } from './assets.ts';

/** Path, then method in lower case. */
const DocumentSchema = v.object({
  paths: v.record(v.string(), v.record(v.string(), v.unknown())),
});

/** Returns the endpoints that need a key, as the OpenAPI document lists them. */
export function documentedRoutes(): RouteKey[] {
  const json: unknown = JSON.parse(readAsset('openapi.json').toString('utf8'));
  const { paths } = v.parse(DocumentSchema, json);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(method => ({ method: method.toUpperCase(), path })),
  );
}
