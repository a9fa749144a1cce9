import * as v from 'valibot';
import { sealWorkspaceApp } from '../../shared/connections/apps.ts';
import { connectorOf } from '../../shared/connections/connector.ts';
import { withConnectContext } from '../../shared/connections/platform-context.ts';
import { route } from '../../shared/http/define-route.ts';
import { notFound, validationFailed } from '../../shared/http/errors.ts';
import { findPlatform, notAvailable } from '../../shared/http/platform.ts';
import { validationDetails } from '../../shared/http/validate.ts';
import type { AppCredentials, WorkspaceApp } from '../../shared/model/platform-app.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { Connector } from '../../shared/platforms/contract/connector.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteWorkspaceApp, getWorkspaceApp, putWorkspaceApp } from '../../shared/store/platform-apps.ts';
import { toIso } from '../../shared/time/instant.ts';

const PlatformAppRecord = v.pipe(
  v.object({
    platform: PlatformIdSchema,
    client_id: v.string(),
    fields: v.pipe(v.record(v.string(), v.string()), v.description("The platform's own fields of the app")),
    updated_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('PlatformApp'),
);

const platformAppRecord = (platform: PlatformId, { client_id, fields, updated_at }: WorkspaceApp) => ({
  platform,
  client_id,
  fields,
  updated_at: toIso(updated_at),
});

const credential = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('Must not be empty'),
  v.maxLength(1000, 'Must be at most 1000 characters'),
);

/** The fields of all platforms' apps beside id and secret. Each platform validates its own. */
const appFields = Object.fromEntries(
  Object.values(BASICS)
    .flatMap(({ app_fields = [] }) => app_fields)
    .map(name => [name, v.optional(v.unknown())]),
);

const shared = {
  path: '/workspace/platform-apps/{platform}',
  tag: 'Workspace',
  auth: 'key',
  access: 'owner',
  params: { platform: v.string() },
} as const;

export const putPlatformApp = route({
  ...shared,
  method: 'PUT',
  operation_id: 'replacePlatformApp',
  summary: "Set the workspace's own app at a platform",
  description:
    'For owners. Accounts connected from now on use this app instead of the one of the service; connections keep the app that they were made with. Register the redirect URL `{base_url}/integrations/{platform}/callback` at the platform. The secret is stored sealed and never shown. Apps of Google are tested at once.',
  body: { client_id: credential, client_secret: credential, ...appFields },
  responses: {
    200: { description: 'The app', schema: v.object({ platform_app: PlatformAppRecord }) },
    404: { description: 'Platform not found' },
    501: { description: 'This version cannot connect the platform yet', codes: ['PLATFORM_NOT_AVAILABLE'] },
  },
  handler: async ({ params, body, principal }, services) => {
    const { platform, connector } = await findAppPlatform(params.platform);
    const { client_id, client_secret } = body;
    const app = { client_id, client_secret, ...readAppFields(platform, connector, body) };
    await assertAccepted(services, platform, connector, app);
    const record = await sealWorkspaceApp(services, principal.workspace_id, platform, app);
    await putWorkspaceApp(services.table, record);
    return { status: 200, body: { platform_app: platformAppRecord(platform, record) } };
  },
});

export const getPlatformApp = route({
  ...shared,
  method: 'GET',
  operation_id: 'getPlatformApp',
  summary: "Get the workspace's own app at a platform",
  description: 'For owners. The secret is never shown.',
  responses: {
    200: { description: 'The app', schema: v.object({ platform_app: PlatformAppRecord }) },
    404: { description: 'Platform not found, or the workspace has no app of its own there' },
  },
  handler: async ({ params, principal }, { table }) => {
    const platform = findPlatform(params.platform);
    const record = await getWorkspaceApp(table, principal.workspace_id, platform);
    if (!record) throw notFound('Platform app');
    return { status: 200, body: { platform_app: platformAppRecord(platform, record) } };
  },
});

export const deletePlatformApp = route({
  ...shared,
  method: 'DELETE',
  operation_id: 'deletePlatformApp',
  summary: "Remove the workspace's own app at a platform",
  description:
    'For owners. Accounts connected from now on use the app of the service; connections made with the removed app keep it until they are reconnected.',
  responses: {
    204: { description: 'The app is removed' },
    404: { description: 'Platform not found, or the workspace has no app of its own there' },
  },
  handler: async ({ params, principal }, { table }) => {
    const platform = findPlatform(params.platform);
    if (!(await deleteWorkspaceApp(table, principal.workspace_id, platform))) throw notFound('Platform app');
    return { status: 204 };
  },
});

/** A platform that accounts are connected to through an app. Throws 404, 400 and 501. */
async function findAppPlatform(name: string): Promise<{ platform: PlatformId; connector: Connector }> {
  const platform = findPlatform(name);
  const connector = await connectorOf(platform);
  if (!connector) throw notAvailable(platform);
  if (connector.ways.some(({ kind }) => kind === 'oauth')) return { platform, connector };
  const message = `${BASICS[platform].display_name} accounts are connected without an app`;
  throw validationFailed([{ field: 'platform', message, platform }]);
}

/** Throws 400 where the platform refuses the app. One that cannot be asked now is not a reason to refuse it. */
async function assertAccepted(
  services: Services,
  platform: PlatformId,
  { checkApp }: Connector,
  app: AppCredentials,
): Promise<void> {
  if (checkApp === null) return;
  try {
    await withConnectContext(services, platform, context => checkApp(app, context));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.kind !== 'rejected') return;
    throw validationFailed([{ field: 'client_secret', message: error.message, platform }]);
  }
}

/** The platform's own fields of the app. Throws 400. */
function readAppFields(
  platform: PlatformId,
  { app_fields }: Connector,
  body: Record<string, unknown>,
): Record<string, string> {
  const parsed = v.safeParse(v.pipe(v.object(app_fields), v.record(v.string(), v.string())), body);
  if (parsed.success) return parsed.output;
  throw validationFailed(validationDetails(parsed.issues, 'body').map(detail => ({ ...detail, platform })));
}
