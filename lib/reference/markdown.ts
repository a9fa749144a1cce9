import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Returns the text of a page. Throws where a part of it is not there yet. */
export function textOf(page: Html): string {
  if (page instanceof Promise) throw new Error('The page waits for something');
  return page.toString();
}

/** Returns the HTML of a description: paragraphs, `code`, **strong** and links. */
export function markdown(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).map(paragraph => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** Returns the HTML of one line of a description. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map(partOf);
  return html`${parts}`;
}

function partOf(part: string): Html | string {
  if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
  if (/^\*\*.+\*\*$/s.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`;
  const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
  return link ? html`<a href="${link[2] ?? ''}">${link[1] ?? ''}</a>` : part;
}

/** Returns an indented JSON value as HTML. */
export const json = (value: unknown): Html => html`${JSON.stringify(value, null, 2)}`;

export const nothing = raw('');
