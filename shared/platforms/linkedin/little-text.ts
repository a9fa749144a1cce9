import { findLinks } from '../../text/links.ts';
import { findSpans, type Span } from '../../text/truncate.ts';

/*
 * LinkedIn's markup of a post's text ("little text"). An unescaped reserved character does not fail the request: the text is
 * cut off there. https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format
 */

const LIMIT = 3000;
const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/** A mention as LinkedIn writes it: `@[Name](urn:li:organization:2414183)`. */
const MENTION = String.raw`@\[(?<name>[^\[\]\n]{1,200})\]\((?<urn>urn:li:(?:organization|person):[\w-]+)\)`;
/** A hashtag has at least one letter and begins the text or follows white space or punctuation. */
const HASHTAG = String.raw`(?<=^|[\s\p{P}])#(?<tag>[\p{L}\p{M}\p{N}_]*\p{L}[\p{L}\p{M}\p{N}_]*)`;
const TOKEN = new RegExp(`${MENTION}|${HASHTAG}|${RESERVED.source}`, 'gu');

const escaped = (text: string) => text.replace(RESERVED, String.raw`\$&`);

/**
 * Returns a text in LinkedIn's markup: mentions are kept, hashtags become elements, all other reserved characters are
 * escaped. Elements that would make a long text exceed the limit are left out: LinkedIn finds plain hashtags, too.
 */
export function toLittleText(text: string): string {
  const full = render(text, tag => String.raw`{hashtag|\#|${escaped(tag)}}`);
  return full.length <= LIMIT ? full : render(text, tag => `#${escaped(tag)}`);
}

function render(text: string, hashtag: (tag: string) => string): string {
  const links = findLinks(text);
  const isInLink = (index: number) => links.some(({ start, end }) => start <= index && index < end);
  let result = '';
  let from = 0;
  for (const { 0: match, index, groups = {} } of text.matchAll(TOKEN)) {
    const { name, urn, tag } = groups;
    result += text.slice(from, index);
    from = index + match.length;
    if (name !== undefined && urn !== undefined) result += `@[${escaped(name)}](${urn})`;
    else if (tag !== undefined && !isInLink(index)) result += hashtag(tag);
    else result += escaped(match);
  }
  return result + text.slice(from);
}

/** Returns the parts of a text that must not be cut. */
export function spansOf(text: string): Span[] {
  const mentions = [...text.matchAll(new RegExp(MENTION, 'gu'))].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
  }));
  return [...findSpans(text), ...mentions];
}

/** Returns what readers see of a text in LinkedIn's markup. */
export function plainText(littleText: string): string {
  return littleText
    .replace(/\{hashtag\|\\?#\|((?:\\.|[^}\\])*)\}/g, '#$1')
    .replace(/@\[((?:\\.|[^\]\\])*)\]\(urn:li:[^)]*\)/g, '$1')
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, '$1');
}
