import { parseJsonStrictly } from '../model/json.ts';
import { bodyTooLarge, invalidUtf8, malformedJson, unsupportedMediaType } from './errors.ts';
import { bodyBytes, requestState, type ApiEvent } from './event.ts';
import { isForm, readForm } from './form.ts';
import type { Middleware } from './middleware.ts';
import { decodeUtf8 } from './utf8.ts';

/** Largest JSON or URL-encoded body in bytes. Media are sent to the upload endpoints. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** Reads the body of routes that take one: JSON or a form. An empty body counts as an empty object. */
export function readBody(): Middleware {
  return {
    before: async ({ event }) => {
      const state = requestState(event);
      if (!state.route?.body) return;
      const type = event.headers['content-type'];
      const takesForm = state.route.takes_form === true;
      if (takesForm && type !== undefined && isUrlEncoded(type)) {
        state.body = Object.fromEntries(new URLSearchParams(textOf(event)));
        return;
      }
      state.body =
        takesForm && type !== undefined && isForm(type)
          ? await readForm(bodyBytes(event), type)
          : readJson(event, type, takesForm ? 'application/json or multipart/form-data' : 'application/json');
    },
  };
}

const isUrlEncoded = (contentType: string) => /^application\/x-www-form-urlencoded\b/i.test(contentType);

function readJson(event: ApiEvent, type: string | undefined, expectedType: string): unknown {
  const text = textOf(event);
  if (text.trim() === '') return {};
  if (type !== undefined && !isJsonInUtf8(type)) throw unsupportedMediaType(expectedType);
  const parsed = parseJsonStrictly(text);
  if (parsed === undefined) throw malformedJson();
  return parsed;
}

/** JSON is UTF-8 (RFC 8259, 8.1); ASCII is a part of it. */
function isJsonInUtf8(type: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) && ['utf-8', 'utf8', 'us-ascii'].includes(charset);
}

/**
 * Returns the text of a body. Throws 413 above MAX_JSON_BYTES, and 400 for bytes that are not UTF-8. The gateway decodes
 * bodies of text types itself and replaces invalid bytes by U+FFFD. Nothing tells these from ones that were sent, so both
 * are refused.
 */
function textOf(event: ApiEvent): string {
  const bytes = bodyBytes(event);
  if (bytes.byteLength > MAX_JSON_BYTES) throw bodyTooLarge(MAX_JSON_BYTES);
  const text = event.isBase64Encoded ? decodeUtf8(bytes) : (event.body ?? '');
  if (text === null || (!event.isBase64Encoded && text.includes('\ufffd'))) throw invalidUtf8();
  return text;
}
