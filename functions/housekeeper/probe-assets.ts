import { probeMedia, type Probe } from '../../shared/media/probe.ts';
import type { Asset } from '../../shared/model/library.ts';
import { getAsset, saveFindings, type Findings } from '../../shared/store/assets.ts';
import { MINUTE } from '../../shared/time/instant.ts';
import type { Run } from './work.ts';

/** Waits before another look at a file that its origin did not give; after the last one it has failed. */
const LOOK_AGAIN_MS = [2 * MINUTE, 15 * MINUTE];

/** Looks at registered files and fills in what their owner left out. */
export async function probeAssets(
  run: Run,
  { workspace_id, asset_ids }: { workspace_id: string; asset_ids: readonly string[] },
): Promise<void> {
  await Promise.all(asset_ids.map(asset_id => probeAsset(run, workspace_id, asset_id)));
}

async function probeAsset({ services, http }: Run, workspaceId: string, assetId: string): Promise<void> {
  const asset = await getAsset(services.table, { workspace_id: workspaceId, asset_id: assetId });
  if (asset?.status !== 'processing') return;
  const probe = await probeMedia(http, asset.public_url);
  await saveFindings(services.table, asset, findings(asset, probe, services.now()));
}

function findings(asset: Asset, probe: Probe, now: number): Findings {
  if (probe.type === 'known') {
    const { type, size, duration, width, height } = probe.facts;
    return {
      status: 'ready',
      mime_type: type,
      size: asset.size ?? size,
      duration: asset.duration ?? duration,
      width,
      height,
      error: null,
      wake_at: null,
    };
  }
  const wait = probe.type === 'unreachable' ? LOOK_AGAIN_MS[asset.probes] : undefined;
  if (wait === undefined) return { status: 'failed', error: probe.message, wake_at: null };
  return { status: 'processing', probes: asset.probes + 1, error: probe.message, wake_at: now + wait };
}
