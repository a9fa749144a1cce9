import type { Detail } from '../http/errors.ts';
import { probeMedia, type Probe } from '../media/probe.ts';
import type { PlatformId } from '../model/platform.ts';
import type { HttpClient } from '../net/http.ts';
import type { PostContent } from '../platforms/draft.ts';
import { knownFaults, placedFiles, type FileFindings, type Placed } from './known-files.ts';

/** Files that are looked at at a time. */
const ABREAST = 8;

/**
 * Looks at the media of a post where they lie and holds them against the limits of each platform that gets them.
 * Nothing is stored. What could not be told is a warning, not a fault.
 */
export async function fileFaults(
  http: Pick<HttpClient, 'open'>,
  content: PostContent,
  platforms: readonly PlatformId[],
): Promise<FileFindings> {
  const files = platforms.flatMap(platform => placedFiles(content, platform));
  const probes = await probeAll(http, [...new Set(files.map(({ url }) => url))]);
  const facts = new Map(
    [...probes].flatMap(([url, probe]) => (probe.type === 'known' ? [[url, probe.facts] as const] : [])),
  );
  const { details, warnings } = knownFaults(content, platforms, facts);
  return { details: [...brokenFiles(files, probes), ...details], warnings };
}

async function probeAll(
  http: Pick<HttpClient, 'open'>,
  urls: readonly string[],
): Promise<ReadonlyMap<string, Probe>> {
  const probes = new Map<string, Probe>();
  const left = [...urls];
  const work = async () => {
    for (let url = left.shift(); url !== undefined; url = left.shift()) {
      probes.set(url, await probeMedia(http, url));
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
