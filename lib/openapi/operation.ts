import { scopeOf } from '../../shared/http/key-scope.ts';
import type { Route } from '../../shared/http/route.ts';
import type { Scope } from '../../shared/model/workspace.ts';
import { mapValues } from './json-schema.ts';
import type { Schemas } from './schema.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { requestBodyOf, type RequestBody } from './request-body.ts';
import type { ResponseObject } from './media.ts';
import { responsesOf } from './responses.ts';

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: [];
  'x-required-scope'?: Scope;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject | { $ref: string }>;
}

/** Converts a route to an OpenAPI operation. Named schemas are added to `named`. */
export function operationOf(route: Route, named: Schemas): Operation {
  const parameters = parametersOf(route, named);
  const requestBody = requestBodyOf(route, named);
  return {
    operationId: route.operation_id,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.tag],
    ...(route.auth === 'none' ? { security: [] } : { 'x-required-scope': scopeOf(route) }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(route, named),
  };
}

/** What the route says of itself, who may call it, and on which plans. */
function descriptionOf({ summary, description, auth, access, plan, ...route }: Route): string {
  const scope =
    auth === 'key' ? `Restricted API keys need the scope \`${scopeOf(route)}\`.` : 'Needs no API key.';
  const callers = access === undefined ? [] : [CALLERS[access]];
  const plans = plan ? [`From the ${plan.minimum} plan on.`] : [];
  return [description ?? `${summary}.`, [scope, ...callers, ...plans].join(' ')].join('\n\n');
}

const CALLERS = {
  owner: 'For owners of the workspace only.',
  creator: 'For owners of the workspace and the member who created the resource.',
} as const;

/** Returns the operations of the document by path and method. */
export function pathsOf(routes: readonly Route[], named: Schemas): Record<string, Record<string, Operation>> {
  const byPath = Object.groupBy(routes, route => route.path);
  return mapValues(byPath, rows =>
    Object.fromEntries((rows ?? []).map(route => [route.method.toLowerCase(), operationOf(route, named)])),
  );
}
