import type { S3Response } from './response.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Returns an element that contains text and elements made by this function. */
export function element(name: string, ...content: (Element | string | number | boolean)[]): Element {
  const inner = content.map(each => (typeof each === 'object' ? each.xml : escaped(String(each))));
  return { xml: `<${name}>${inner.join('')}</${name}>` };
}

interface Element {
  xml: string;
}

export function xml(status: number, root: Element): S3Response {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}`,
  };
}

const escaped = (text: string) => text.replace(/[&<>"]/g, char => ESCAPES[char] ?? char);

/** Content of each element with this name. The clients of this stack write no attributes and no comments. */
export function list(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(match => match[1] ?? '');
}

export const textOf = (text: string, name: string) => list(text, name)[0] ?? '';
