import type { ApiError } from '../../shared/http/errors.ts';
import type { RawRequest, Route } from '../../shared/http/route.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { DeliveryWorld } from './delivery-world.ts';
import { assertDocumented } from './openapi.ts';

/** The profile of the delivery world, under the name that its posts carry. */
export async function addProfile(world: DeliveryWorld): Promise<void> {
  await createProfile(world.table, {
    id: 'p1',
    workspace_id: 'w1',
    profile_name: 'Acme',
    username: 'acme',
    created_by: null,
    created_at: 1,
  });
}

/** Calls a route as the workspace's owner; the answer, thrown or not. */
export async function call(
  world: DeliveryWorld,
  route: Route,
  change: Partial<RawRequest> = {},
  services: Services = world.services,
) {
  const raw: RawRequest = {
    params: {},
    query: {},
    body: undefined,
    principal: { workspace_id: 'w1', user_id: 'u1', key_id: 'k1', role: 'owner', plan: 'business' },
    request_id: 'r1',
    headers: {},
    base_url: 'https://api.example.com/v1',
    ...change,
  };
  const { status, body } = await route
    .invoke(raw, services)
    .catch((error: unknown) => (error as ApiError).response);
  assertDocumented(route.method, route.path, status, JSON.parse(JSON.stringify(body ?? '')));
  return { status, body: body as Record<string, unknown> };
}
