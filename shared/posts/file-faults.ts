import type { Detail } from '../http/errors.ts';
import { probeMedia, type Probe } from '../media/probe.ts';
import type { MediaFacts, MediaKind } from '../model/media.ts';
import type { PlatformId } from '../model/platform.ts';
import type { HttpClient } from '../net/http.ts';
import { draftFor, mediaFor, type PostContent } from '../platforms/draft.ts';
import { fileLimitsOf } from '../platforms/files.ts';
import { RULES } from '../platforms/registry.ts';
import type { FileLimits } from '../platforms/rules.ts';
import type { FieldWarning } from './warnings.ts';

/** Files that are looked at at a time. */
const ABREAST = 8;

/** A shape this close to a limit is within it: sizes are whole pixels. */
const ASPECT_MARGIN = 0.01;

interface Placed {
  field: string;
  url: string;
  platform: PlatformId;
}

/**
 * Looks at the media of a post where they lie and holds them against the limits of each platform that gets them.
 * Nothing is stored. What could not be told is a warning, not a fault.
 */
export async function fileFaults(
  http: Pick<HttpClient, 'open'>,
  content: PostContent,
  platforms: readonly PlatformId[],
): Promise<{ details: Detail[]; warnings: FieldWarning[] }> {
  if (content.post_type === 'text') return { details: [], warnings: [] };
  const files = platforms.flatMap(platform => placedFiles(content, platform));
  const probes = await probeAll(http, [...new Set(files.map(({ url }) => url))]);
  const details: Detail[] = [];
  const warnings: FieldWarning[] = [];
  for (const file of files) {
    const probe = probes.get(file.url);
    if (probe?.type === 'known') details.push(...limitFaults(content, file, probe.facts));
    if (probe?.type === 'known') warnings.push(...unknownFacts(file, probe.facts));
  }
  return { details: [...brokenFiles(files, probes), ...details], warnings: onceAField(warnings) };
}

/** What a platform would get: its own list or the common one, no longer than it takes. */
function placedFiles(content: PostContent, platform: PlatformId): Placed[] {
  const rules = RULES[platform];
  if (!rules.post_types[content.post_type]) return [];
  const { field } = mediaFor(rules, content);
  return draftFor(rules, content).draft.media_urls.map((url, index) => ({
    field: `${field}[${index}]`,
    url,
    platform,
  }));
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

function limitFaults(content: PostContent, { field, platform }: Placed, facts: MediaFacts): Detail[] {
  const rules = RULES[platform];
  const wanted: MediaKind = kindOf(content);
  const named = (message: string): Detail => ({ field, message, platform });
  if (facts.kind !== wanted) return [named(`Is ${facts.format}, which is no ${wanted}`)];
  const limits = fileLimitsOf(rules, draftFor(rules, content).draft, facts.kind);
  if (!limits) return [named(`${rules.display_name} takes no ${facts.kind}s`)];
  return brokenLimits(limits, facts).map(message => named(`${message} (${rules.display_name})`));
}

const kindOf = ({ post_type }: PostContent): MediaKind => (post_type === 'text' ? 'image' : post_type);

/** Every limit that a file breaks, in words. */
export function brokenLimits(limits: FileLimits, facts: MediaFacts): string[] {
  const aspect = facts.width !== null && facts.height !== null ? facts.width / facts.height : null;
  const checks: [
    value: number | null,
    least: number | undefined,
    most: number | undefined,
    what: string,
    unit: string,
  ][] = [
    [facts.size, undefined, limits.max_bytes, 'size', 'bytes'],
    [facts.duration, limits.min_seconds, limits.max_seconds, 'duration', 'seconds'],
    [facts.width, limits.min_width, limits.max_width, 'width', 'pixels'],
    [facts.height, limits.min_height, limits.max_height, 'height', 'pixels'],
    [aspect, below(limits.min_aspect), above(limits.max_aspect), 'ratio of width to height', ''],
  ];
  const formats = limits.formats.includes(facts.format)
    ? []
    : [`Is ${facts.format}; must be one of ${limits.formats.join(', ')}`];
  return [
    ...formats,
    ...checks.flatMap(([value, least, most, what, unit]) => outside(value, least, most, what, unit)),
  ];
}

const below = (limit?: number) => (limit === undefined ? undefined : limit * (1 - ASPECT_MARGIN));
const above = (limit?: number) => (limit === undefined ? undefined : limit * (1 + ASPECT_MARGIN));

function outside(
  value: number | null,
  least: number | undefined,
  most: number | undefined,
  what: string,
  unit: string,
): string[] {
  const told = (number: number) => `${Math.round(number * 100) / 100} ${unit}`.trim();
  if (value === null) return [];
  if (least !== undefined && value < least) return [`The ${what} is ${told(value)}; at least ${told(least)}`];
  if (most !== undefined && value > most) return [`The ${what} is ${told(value)}; at most ${told(most)}`];
  return [];
}

/** Facts that the service could not tell: the platform may see more. */
function unknownFacts({ field }: Placed, facts: MediaFacts): FieldWarning[] {
  const missing = [
    ...(facts.size === null ? ['size'] : []),
    ...(facts.kind === 'video' && facts.duration === null ? ['duration'] : []),
    ...(facts.kind !== 'document' && facts.width === null ? ['dimensions'] : []),
  ];
  if (missing.length === 0) return [];
  const message = `Its ${missing.join(' and ')} could not be told, and was not checked`;
  return [{ code: 'MEDIA_NOT_CHECKED', field, message }];
}

function onceAField(warnings: readonly FieldWarning[]): FieldWarning[] {
  return [...new Map(warnings.map(warning => [warning.field, warning])).values()];
}
