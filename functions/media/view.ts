import * as v from 'valibot';
import { ASSET_STATUSES, type Asset } from '../../shared/model/library.ts';
import { toIso } from '../../shared/time/instant.ts';

/** An asset as the API returns it. */
export const AssetView = v.pipe(
  v.object({
    id: v.string(),
    workspace_id: v.string(),
    profile_id: v.string(),
    title: v.string(),
    source_type: v.string(),
    public_url: v.string(),
    duration: v.nullable(v.number()),
    size: v.nullable(v.number()),
    mime_type: v.nullable(v.string()),
    width: v.nullable(v.number()),
    height: v.nullable(v.number()),
    status: v.nullable(v.picklist(ASSET_STATUSES)),
    error: v.nullable(v.string()),
    created_at: v.string(),
  }),
  v.title('MediaAsset'),
);

export function assetView(asset: Asset): v.InferOutput<typeof AssetView> {
  return {
    id: asset.id,
    workspace_id: asset.workspace_id,
    profile_id: asset.profile_id,
    title: asset.title,
    source_type: asset.source_type,
    public_url: asset.public_url,
    duration: asset.duration,
    size: asset.size,
    mime_type: asset.mime_type,
    width: asset.width,
    height: asset.height,
    status: asset.status,
    error: asset.error,
    created_at: toIso(asset.created_at),
  };
}
