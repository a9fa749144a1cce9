import type { JsonObject } from '../../../model/json.ts';
import { codePointLength } from '../../../text/code-points.ts';
import { badRequest } from './request.ts';

const LIMITS = { text: 4096, caption: 1024 };
const TOO_LONG = { text: 'message is too long', caption: 'message caption is too long' };

const HTML_TAGS = 'b|strong|i|em|u|ins|s|strike|del|a|code|pre|blockquote|tg-spoiler|span|tg-emoji';

/** Validates a text and returns it as Telegram shows it: trimmed and without markup. */
export function acceptText(raw: string, kind: 'text' | 'caption', parseMode: string | undefined): string {
  if (Buffer.byteLength(raw) > 32_768) throw badRequest('text is too long');
  const text = plain(raw, parseMode).trim();
  if (kind === 'text' && text === '') {
    throw badRequest(raw === '' ? 'message text is empty' : 'text must be non-empty');
  }
  if (codePointLength(text) > LIMITS[kind]) throw badRequest(TOO_LONG[kind]);
  return text;
}

function plain(raw: string, parseMode: string | undefined): string {
  switch ((parseMode ?? '').toLowerCase()) {
    case '':
      return raw;
    case 'html':
      return plainHtml(raw);
    case 'markdownv2':
      return plainMarkdown(raw);
    case 'markdown':
      return raw.replace(/[*_`]/g, '');
    default:
      throw badRequest('unsupported parse_mode');
  }
}

function plainHtml(raw: string): string {
  const open: string[] = [];
  const text = raw.replace(/<(\/?)([^\s>]*)[^>]*>?/g, (_, slash: string, name: string, offset: number) => {
    const known = new RegExp(`^(${HTML_TAGS})$`, 'i').test(name);
    if (!known)
      throw badRequest(`can't parse entities: Unsupported start tag "${name}" at byte offset ${offset}`);
    if (slash === '') open.push(name);
    else if (open.pop() !== name) {
      throw badRequest(`can't parse entities: Unmatched end tag at byte offset ${offset}`);
    }
    return '';
  });
  if (open.length > 0) {
    throw badRequest(`can't parse entities: Can't find end tag corresponding to start tag "${open.at(-1)}"`);
  }
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

function plainMarkdown(raw: string): string {
  const bare = raw.replace(/\\[!-~]/g, '');
  const reserved = /[>#+\-=|{}.!]/.exec(bare.replace(/\[[^\]]*\]\([^)]*\)/g, ''))?.[0];
  if (reserved !== undefined) {
    throw badRequest(
      `can't parse entities: Character '${reserved}' is reserved and must be escaped with the preceding '\\'`,
    );
  }
  for (const mark of ['*', '_', '~', '`']) {
    if ((bare.split(mark).length - 1) % 2 !== 0) {
      throw badRequest("can't parse entities: Can't find end of the entity");
    }
  }
  return raw.replace(/\\([!-~])|[*_~`]/g, '$1');
}

/** Entities of URLs, hashtags and mentions, with offsets in UTF-16 units. */
export function entitiesOf(text: string): JsonObject[] {
  const patterns: readonly (readonly [string, RegExp])[] = [
    ['url', /https?:\/\/[^\s<>"]+/g],
    ['hashtag', /(?<![\p{L}\p{N}_/])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu],
    ['mention', /(?<![\w/])@[A-Za-z]\w{3,31}/g],
  ];
  return patterns
    .flatMap(([type, pattern]) =>
      [...text.matchAll(pattern)].map(match => ({ type, offset: match.index, length: match[0].length })),
    )
    .sort((a, b) => a.offset - b.offset);
}
