import * as v from 'valibot';
import { probeWork, startHousekeeping } from '../../shared/housekeeping/work.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError, batchFieldPath } from '../../shared/http/errors.ts';
import type { Asset } from '../../shared/model/library.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { createAssets, MAX_BATCH } from '../../shared/store/assets.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { assetFields, type AssetInput } from './fields.ts';
import { AssetView, assetView } from './view.ts';

/** Assets probed by one message, concurrently in one invocation. */
const ASSETS_PER_MESSAGE = 10;

export const createMedia = route({
  method: 'POST',
  path: '/agency/media',
  operation_id: 'createMediaAssets',
  summary: 'Register media assets',
  description:
    `One object, or an array of up to ${MAX_BATCH}: all of them are registered or none. The service then probes ` +
    'each file and fills in what was omitted; `status` changes from `processing` to `ready` or `failed`.',
  tag: 'Media assets',
  auth: 'key',
  body: assetFields,
  batch: MAX_BATCH,
  body_example: {
    title: 'Summer clip',
    profile_id: '0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55',
    public_url: 'https://cdn.example.com/summer.mp4',
  },
  responses: {
    201: {
      description: 'The assets were registered',
      schema: v.object({ message: v.string(), count: v.number(), media: v.array(AssetView) }),
    },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body, is_batch, principal, newResourceId, asked_at }, services) => {
    const { workspace_id } = principal;
    await assertProfiles(services, workspace_id, body, is_batch);
    const assets = body.map(input => newAsset(input, workspace_id, newResourceId(), asked_at));
    await createAssets(services.table, assets);
    await requestProbes(services, workspace_id, assets);
    const count = assets.length;
    const message = count === 1 ? 'Media asset registered' : `${count} media assets registered`;
    return { status: 201, body: { message, count, media: assets.map(assetView) } };
  },
});

function newAsset(input: AssetInput, workspaceId: string, id: string, now: number): Asset {
  return {
    ...input,
    id,
    workspace_id: workspaceId,
    mime_type: null,
    width: null,
    height: null,
    status: 'processing',
    error: null,
    failed_probes: 0,
    created_at: now,
  };
}

/** Throws 404 for a profile that does not exist in this workspace, named in `details`. */
async function assertProfiles(
  services: Services,
  workspaceId: string,
  inputs: readonly AssetInput[],
  isBatch: boolean,
): Promise<void> {
  const ids = [...new Set(inputs.map(({ profile_id }) => profile_id))];
  const profiles = await Promise.all(ids.map(id => getProfile(services.table, workspaceId, id)));
  const known = new Set(profiles.flatMap(profile => (profile ? [profile.id] : [])));
  const details = inputs.flatMap(({ profile_id }, index) => {
    if (known.has(profile_id)) return [];
    const field = isBatch ? batchFieldPath(index, 'profile_id') : 'profile_id';
    return [errorOf(field, 'Does not exist in this workspace')];
  });
  if (details.length > 0) {
    throw new ApiError({ status: 404, body: { error: 'Profile not found', details } });
  }
}

/** Requests a probe of each file. If that fails, the sweeper requests it later. */
async function requestProbes(
  services: Services,
  workspaceId: string,
  assets: readonly Asset[],
): Promise<void> {
  const groups = Array.from({ length: Math.ceil(assets.length / ASSETS_PER_MESSAGE) }, (_, index) =>
    assets.slice(index * ASSETS_PER_MESSAGE, (index + 1) * ASSETS_PER_MESSAGE),
  );
  try {
    await Promise.all(
      groups.map(group =>
        startHousekeeping(
          services,
          probeWork(
            workspaceId,
            group.map(({ id }) => id),
          ),
        ),
      ),
    );
  } catch (error) {
    log.warn('Could not request the probes of assets; the sweeper will', describeError(error));
  }
}
