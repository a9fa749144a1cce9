import type { Detail } from '../http/errors.ts';
import { changesOfFile, faultsOfCover, faultsOfFile, faultsTogether } from '../media/limits.ts';
import type { MediaFacts } from '../model/media.ts';
import type { PlatformId } from '../model/platform.ts';
import { draftFor, mediaFor, type PostContent } from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';
import type { FieldWarning } from './warnings.ts';

/** A file of a post at one of its platforms. */
export interface Placed {
  field: string;
  url: string;
  platform: PlatformId;
}

/** What is known of files, by their URLs. */
export type KnownFacts = ReadonlyMap<string, MediaFacts>;

export interface FileFindings {
  details: Detail[];
  warnings: FieldWarning[];
}

/**
 * Holds files against the limits of each platform that gets them, one by one and together, as far as they are known.
 * What could not be told, and what a viewer will see otherwise, is a warning.
 */
export function knownFaults(
  content: PostContent,
  platforms: readonly PlatformId[],
  facts: KnownFacts,
): FileFindings {
  const details: Detail[] = [];
  const warnings: FieldWarning[] = [];
  for (const platform of platforms) {
    const files = placedFiles(content, platform);
    for (const file of files) {
      const known = facts.get(file.url);
      if (!known) continue;
      details.push(...faultsOf(content, file, known));
      warnings.push(...notChecked(file, known), ...changed(file, known));
    }
    details.push(...together(content, platform, files, facts));
  }
  return { details, warnings: onceEach(warnings) };
}

/** What a platform would get: its own list or the common one, no longer than it takes, and pictures beside it. */
export function placedFiles(content: PostContent, platform: PlatformId): Placed[] {
  const rules = RULES[platform];
  if (content.post_type === 'text' || !rules.post_types[content.post_type]) return [];
  const { field } = mediaFor(rules, content);
  const { media_urls, options } = draftFor(rules, content).draft;
  const media = media_urls.map((url, index) => ({ field: `${field}[${index}]`, url, platform }));
  const covers = Object.keys(rules.covers ?? {}).flatMap(name => {
    const url = options[name];
    return typeof url === 'string' ? [{ field: name, url, platform }] : [];
  });
  return [...media, ...covers];
}

const isCover = ({ field, platform }: Placed) => RULES[platform].covers?.[field] !== undefined;

function faultsOf(content: PostContent, file: Placed, facts: MediaFacts): Detail[] {
  const { field, platform } = file;
  const rules = RULES[platform];
  const faults = isCover(file)
    ? faultsOfCover(rules, field, facts)
    : faultsOfFile(rules, draftFor(rules, content).draft, facts);
  return faults.map(message => ({ field, message, platform }));
}

function together(
  content: PostContent,
  platform: PlatformId,
  files: readonly Placed[],
  facts: KnownFacts,
): Detail[] {
  const rules = RULES[platform];
  const media = files.filter(file => !isCover(file)).map(({ url }) => facts.get(url) ?? null);
  return faultsTogether(rules, draftFor(rules, content).draft, media).map(message => ({
    field: mediaFor(rules, content).field,
    message,
    platform,
  }));
}

function changed(file: Placed, facts: MediaFacts): FieldWarning[] {
  if (isCover(file)) return [];
  const { field, platform } = file;
  return changesOfFile(RULES[platform], facts).map(message => ({
    code: 'MEDIA_CHANGED',
    field,
    message,
    platform,
  }));
}

/** Facts that the service could not tell: the platform may see more. */
function notChecked({ field }: Placed, facts: MediaFacts): FieldWarning[] {
  const missing = [
    ...(facts.size === null ? ['size'] : []),
    ...(facts.kind === 'video' && facts.duration === null ? ['duration'] : []),
    ...(facts.kind !== 'document' && facts.width === null ? ['dimensions'] : []),
  ];
  if (missing.length === 0) return [];
  const message = `Its ${missing.join(' and ')} could not be told, and was not checked`;
  return [{ code: 'MEDIA_NOT_CHECKED', field, message }];
}

function onceEach(warnings: readonly FieldWarning[]): FieldWarning[] {
  const named = warnings.map(
    warning => [`${warning.field} ${warning.platform ?? ''} ${warning.message}`, warning] as const,
  );
  return [...new Map(named).values()];
}
