import type { Detail } from '../http/errors.ts';
import { probeMedia, type Probe } from '../media/probe.ts';
import type { PlatformId } from '../model/platform.ts';
import type { HttpClient } from '../net/http.ts';
import type { PostContent } from '../platforms/kit/draft.ts';
import { SECOND } from '../time/instant.ts';
import { knownFaults, placedFiles, type FileFindings, type Placed } from './known-files.ts';
import type { FieldWarning } from './warnings.ts';

/** Files that are looked at at a time. */
const ABREAST = 8;

/** Milliseconds for a file, and for all of them: the gateway waits no longer than 29 s for the answer. */
export const PATIENCE = { each_ms: 12 * SECOND, all_ms: 24 * SECOND };

const OUT_OF_TIME = 'There was no time to look at it, since other files took so long';

/**
 * Looks at the media of a post where they lie and holds them against the limits of each platform that gets them.
 * Nothing is stored. What could not be told is a warning, not a fault.
 */
export async function fileFaults(
  http: Pick<HttpClient, 'open'>,
  content: PostContent,
  platforms: readonly PlatformId[],
  patience = PATIENCE,
  now: () => number = Date.now,
): Promise<FileFindings> {
  const files = platforms.flatMap(platform => placedFiles(content, platform));
  const probes = await probeAll(http, [...new Set(files.map(({ url }) => url))], patience, now);
  const facts = new Map(
    [...probes].flatMap(([url, probe]) => (probe.type === 'known' ? [[url, probe.facts] as const] : [])),
  );
  const { details, warnings } = knownFaults(content, platforms, facts);
  return {
    details: [...brokenFiles(files, probes), ...details],
    warnings: [...warnings, ...unseenFiles(files, probes)],
  };
}

async function probeAll(
  http: Pick<HttpClient, 'open'>,
  urls: readonly string[],
  { each_ms, all_ms }: typeof PATIENCE,
  now: () => number,
): Promise<ReadonlyMap<string, Probe>> {
  const probes = new Map<string, Probe>();
  const left = [...urls];
  // A look that begins may take all of its time.
  const last = now() + all_ms - each_ms;
  const work = async () => {
    for (let url = left.shift(); url !== undefined && now() <= last; url = left.shift()) {
      probes.set(url, await probeMedia(http, url, each_ms));
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  return probes;
}

/** Files that nobody can use: one fault a place, whichever platforms it is for. */
function brokenFiles(files: readonly Placed[], probes: ReadonlyMap<string, Probe>): Detail[] {
  const byField = new Map(files.map(({ field, url }) => [field, probes.get(url)]));
  return [...byField].flatMap(([field, probe]) =>
    probe && probe.type !== 'known' ? [{ field, message: probe.message, platform: null }] : [],
  );
}

/** One warning a place that nobody looked at. */
function unseenFiles(files: readonly Placed[], probes: ReadonlyMap<string, Probe>): FieldWarning[] {
  const fields = new Set(files.filter(({ url }) => !probes.has(url)).map(({ field }) => field));
  return [...fields].map(field => ({ code: 'MEDIA_NOT_CHECKED', field, message: OUT_OF_TIME }));
}
