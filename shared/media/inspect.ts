import { fileTypeFromBuffer } from 'file-type';
import { factsOfType, formatOfType, type MediaFacts, type MediaFormat } from '../model/media.ts';
import { inMemory, withReadBudget, ReadBudgetExceeded, type FileAccess } from './access.ts';
import { clipFacts } from './clip-facts.ts';
import { cutOff } from './endings.ts';
import { activeContent } from './pdf.ts';
import { pictureFacts } from './picture-facts.ts';

/** What a look at a file's bytes gave. */
export type Inspection =
  | { type: 'known'; facts: MediaFacts }
  /** There is a file that the service does not take. `found` names what it is. */
  | { type: 'unsupported'; found: string; message: string };

/** Enough to tell a type and nearly every picture's dimensions. */
export const HEAD_BYTES = 64 * 1024;
/** A camera's notes may push a JPEG's dimensions this far back. */
const LONG_HEAD_BYTES = 1024 * 1024;
/** Most that is read beyond that. */
export const WHOLE_BYTES = 12 * 1024 * 1024;

/** Types that people take for pictures, with what to do about them. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/heic': 'It is a HEIC picture, which platforms do not take: send it as JPG or PNG',
    'image/heic-sequence': 'It is a HEIC picture, which platforms do not take: send it as JPG or PNG',
    'image/heif': 'It is a HEIF picture, which platforms do not take: send it as JPG or PNG',
    'image/avif': 'It is an AVIF picture, which platforms do not take: send it as JPG or PNG',
    'image/svg+xml': 'It is an SVG drawing, which platforms do not take: send it as PNG',
    'text/html': 'The link gives a web page, not a file',
  }),
);

/**
 * Tells what a file is from its bytes, and reads no more of them than that takes: never the name. Nothing is decoded.
 * `endBytes`: most that may be read to find a file's end. Throws what `read` throws.
 */
export async function inspect(file: FileAccess, endBytes = WHOLE_BYTES): Promise<Inspection> {
  const head = await file.read(0, HEAD_BYTES);
  if (head.byteLength === 0) return unsupported('an empty file', 'It is empty');
  const identity = await identify(head, file.said_type);
  if (identity.type !== 'known') return identity;
  const { mime_type, format } = identity;
  const { size } = file;
  const fault =
    size === null ? null : await cutOff(format, { ...withReadBudget(file, head, endBytes), size });
  if (fault !== null) return damaged(fault);
  return lookFurther(factsOfType(mime_type, format, size), head, withReadBudget(file, head, WHOLE_BYTES));
}

async function lookFurther(facts: MediaFacts, head: Uint8Array, rest: FileAccess): Promise<Inspection> {
  try {
    if (facts.kind === 'image') return await lookAtPicture(facts, head, rest);
    return facts.kind === 'video' ? await lookAtClip(facts, rest) : await lookAtDocument(facts, rest);
  } catch (error) {
    if (error instanceof ReadBudgetExceeded) return { type: 'known', facts };
    throw error;
  }
}

/** What the first bytes of a file say it is. */
export type Identity =
  { type: 'known'; mime_type: string; format: MediaFormat } | Extract<Inspection, { type: 'unsupported' }>;

/** Tells a file's type from its first `HEAD_BYTES`. `saidType`: what its origin calls it. */
export async function identify(head: Uint8Array, saidType = ''): Promise<Identity> {
  const mime_type = await typeOf(head, saidType);
  const format = mime_type === null ? null : formatOfType(mime_type);
  return mime_type === null || format === null
    ? unknownType(mime_type, saidType)
    : { type: 'known', mime_type, format };
}

/** What bytes that are all here are. */
export function inspectBytes(bytes: Uint8Array): Promise<Inspection> {
  return inspect(inMemory(bytes));
}

async function lookAtPicture(facts: MediaFacts, head: Uint8Array, file: FileAccess): Promise<Inspection> {
  const isWhole = file.size === head.byteLength;
  const short = pictureFacts(facts.format, head);
  if ((short.width !== null && short.animated !== null) || isWhole)
    return picture({ ...facts, ...short }, isWhole);
  const longer = await file.read(0, Math.min(LONG_HEAD_BYTES, file.size ?? LONG_HEAD_BYTES));
  return picture({ ...facts, ...pictureFacts(facts.format, longer) }, longer.byteLength === file.size);
}

function picture(facts: MediaFacts, isWhole: boolean): Inspection {
  return facts.width === null && isWhole
    ? damaged('it says nothing of its width and height')
    : { type: 'known', facts };
}

async function lookAtClip(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  return { type: 'known', facts: { ...facts, ...(await clipFacts(file)) } };
}

async function lookAtDocument(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  const bytes = await file.read(0, Math.min(WHOLE_BYTES, file.size ?? WHOLE_BYTES));
  const active = activeContent(bytes);
  if (active === null) return { type: 'known', facts };
  return unsupported(
    'a PDF with a script',
    `It is a PDF with ${active} in it, which the service does not pass on`,
  );
}

/** Its type by its bytes. Text is told apart where people take it for media; what else it says of itself counts last. */
async function typeOf(head: Uint8Array, saidType = ''): Promise<string | null> {
  const text = Buffer.from(head.subarray(0, 1024))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^(?:<\?xml[^>]*>|<!--[^]*?-->|<!doctype svg[^>]*>|\s)*<svg[\s>]/i.test(text)) return 'image/svg+xml';
  const known = await fileTypeFromBuffer(head).catch(() => undefined);
  if (known) return known.mime;
  return /^<(?:!doctype html|html|head|body)\b/i.test(text) || /html/i.test(saidType) ? 'text/html' : null;
}

function unknownType(type: string | null, saidType: string): Extract<Inspection, { type: 'unsupported' }> {
  const found = type ?? (saidType.split(';')[0]?.trim() || 'no known type');
  return unsupported(found, HINTS.get(found) ?? `It is ${found}, which is not supported`);
}

const unsupported = (found: string, message: string): Extract<Inspection, { type: 'unsupported' }> => ({
  type: 'unsupported',
  found,
  message,
});

const damaged = (how: string): Inspection => unsupported('a damaged file', `It is damaged: ${how}`);
