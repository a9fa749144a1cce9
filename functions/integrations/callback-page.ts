/** What the page after a consent page says. */
export interface PageText {
  title: string;
  text: string;
}

/** Returns a page for the person who comes back from a platform, where nobody else has a page for them. */
export function callbackPage({ title, text }: PageText): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body>
</html>
`);
}

/** Whether a person sees the response: browsers ask for HTML, programs do not. */
export const isBrowser = (headers: Readonly<Record<string, string>>) =>
  (headers['accept'] ?? '').includes('text/html');

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
} as const;

const STYLE =
  'body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif;' +
  'background:light-dark(#eef1f4,#10171d);color:light-dark(#16202b,#e6edf2)}' +
  'main{width:min(30rem,100% - 4rem);padding:1.5rem;border-radius:12px;background:light-dark(#fff,#1a2530)}' +
  'h1{font-size:1.3rem}p{overflow-wrap:anywhere}';

/** The texts come from platforms and requests. */
const escaped = (text: string) => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
