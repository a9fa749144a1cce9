import { notFound } from '../../shared/http/errors.ts';
import type { Asset } from '../../shared/model/library.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getAsset } from '../../shared/store/assets.ts';

export const assetNotFound = () => notFound('Media asset');

/** Reads an asset of the caller's workspace. Throws 404 where there is none. */
export async function findAsset(services: Services, principal: Principal, id: string): Promise<Asset> {
  const asset = await getAsset(services.table, { workspace_id: principal.workspace_id, asset_id: id });
  if (!asset) throw assetNotFound();
  return asset;
}
