import { probeUrl, type UrlProbe } from '../../shared/media/probe-url.ts';
import type { Asset } from '../../shared/model/library.ts';
import { getAsset, saveProbeResult, type ProbeResult } from '../../shared/store/assets.ts';
import { MINUTE, SECOND } from '../../shared/time/instant.ts';
import type { Run } from './run.ts';

/** Delays before another probe of a file whose host did not answer; after the last one it has failed. */
const RETRY_DELAYS_MS = [2 * MINUTE, 15 * MINUTE];

/** Enough to find the end of nearly every image: no request waits for this probe. */
const PROBE_LIMITS = { bytes: 64 * 1024 ** 2, ms: 60 * SECOND };

/** Probes registered files and fills in what their owner omitted. */
export async function probeAssets(
  run: Run,
  { workspace_id, asset_ids }: { workspace_id: string; asset_ids: readonly string[] },
): Promise<void> {
  await Promise.all(asset_ids.map(asset_id => probeAsset(run, workspace_id, asset_id)));
}

async function probeAsset({ services, http }: Run, workspaceId: string, assetId: string): Promise<void> {
  const asset = await getAsset(services.table, { workspace_id: workspaceId, asset_id: assetId });
  if (asset?.status !== 'processing') return;
  const probe = await probeUrl(http, asset.public_url, PROBE_LIMITS.ms, PROBE_LIMITS);
  await saveProbeResult(services.table, asset, probeResult(asset, probe, services.now()));
}

function probeResult(asset: Asset, probe: UrlProbe, now: number): ProbeResult {
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
  const delayMs = probe.type === 'unreachable' ? RETRY_DELAYS_MS[asset.failed_probes] : undefined;
  if (delayMs === undefined) return { status: 'failed', error: probe.message, wake_at: null };
  return {
    status: 'processing',
    failed_probes: asset.failed_probes + 1,
    error: probe.message,
    wake_at: now + delayMs,
  };
}
