/** A link to a file, made from one to a page about the file. */
export type DirectLink = { url: string } | { fault: string };

interface Host {
  /** Names of hosts that it answers under. */
  names: readonly string[];
  direct: (url: URL) => DirectLink;
}

const HOSTS: readonly Host[] = [
  { names: ['drive.google.com', 'docs.google.com', 'drive.usercontent.google.com'], direct: driveLink },
  { names: ['dropbox.com', 'www.dropbox.com', 'm.dropbox.com'], direct: dropboxLink },
];

/** Makes share links of Google Drive and Dropbox direct; every other URL stays as it is. */
export function directLink(text: string): DirectLink {
  if (!URL.canParse(text)) return { url: text };
  const url = new URL(text);
  const host = HOSTS.find(({ names }) => names.includes(url.hostname.toLowerCase()));
  return host ? host.direct(url) : { url: text };
}

/** Where Drive gives the bytes; `confirm=t` answers its question about files that it has not scanned for viruses. */
const DRIVE_DOWNLOAD = 'https://drive.usercontent.google.com/download';

/** Documents of Google's own kinds have no bytes; their exports do. */
const GOOGLE_EXPORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    document: 'export?format=pdf',
    presentation: 'export/pdf',
    spreadsheets: 'export?format=pdf',
    drawings: 'export/pdf',
  }),
);

/**
 * `/file/d/<id>/view`, `/open?id=`, `/uc?id=&export=download`, each also below `/u/<n>/`, `/a/<domain>/` or
 * `/file/u/<n>/`; a resource key of older files goes along.
 */
function driveLink(url: URL): DirectLink {
  if (/\/folders\//.test(url.pathname) || url.pathname.endsWith('/folderview')) {
    return { fault: 'The link leads to a folder of Google Drive; share the file itself' };
  }
  const [, kind = '', ownId] = /^\/(\w+)(?:\/u\/\d+)?\/d\/(?!e\/)([\w-]+)/.exec(url.pathname) ?? [];
  const exported = GOOGLE_EXPORTS.get(kind);
  if (exported !== undefined && ownId !== undefined) {
    return { url: `https://docs.google.com/${kind}/d/${ownId}/${exported}` };
  }
  const id = /\/file(?:\/u\/\d+)?\/d\/([\w-]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  if (id === null || id === '') return { url: url.href };
  const direct = new URL(DRIVE_DOWNLOAD);
  direct.search = new URLSearchParams({ id, export: 'download', confirm: 't' }).toString();
  for (const name of ['resourcekey', 'uuid', 'at', 'authuser']) {
    const value = url.searchParams.get(name);
    if (value !== null) direct.searchParams.set(name, value);
  }
  return { url: direct.href };
}

/**
 * `/s/<id>/<name>`, `/scl/fi/<id>/<name>?rlkey=`, and in a shared folder `/scl/fo/<id>/<key>/<name>?rlkey=` or
 * `/sh/<id>/<key>/<name>`: `dl=1` asks for the bytes. A folder itself would come as an archive.
 */
function dropboxLink(url: URL): DirectLink {
  if (/^\/(sh|scl\/fo)\/[^/]+(\/[^/]+)?\/?$/.test(url.pathname)) {
    return { fault: 'The link leads to a folder of Dropbox; share the file itself' };
  }
  const direct = new URL(url);
  direct.protocol = 'https:';
  direct.hostname = 'www.dropbox.com';
  direct.searchParams.delete('raw');
  direct.searchParams.set('dl', '1');
  return { url: direct.href };
}

const NOT_SHARED = { fault: 'The file is not shared with everybody who has the link' };
const NO_FILE_IN_DROPBOX = {
  fault: 'Dropbox gives a page instead of the file: it is not shared, or not there',
};

/** Drive's own words on pages that it gives instead of a file, and what they mean to the one who shared it. */
const DRIVE_PAGES: readonly [words: RegExp, meaning: string][] = [
  [
    /too many users have viewed|quota exceeded/i,
    'Google Drive gives this file to nobody for a day: too many have asked for it',
  ],
  [/accounts\.google\.com|sign in|you need access/i, NOT_SHARED.fault],
];

/**
 * What a page that came instead of a file asks to go on, or says. A shortened link leads to the page about a file: then
 * that one's own link is tried. Null for a page that is not of a known host.
 */
export function readSharePage(pageUrl: string, html: string): DirectLink | null {
  const { hostname, pathname } = new URL(pageUrl);
  const direct = directLink(pageUrl);
  if ('fault' in direct) return direct;
  if (hostname === 'accounts.google.com') return NOT_SHARED;
  if (/(^|\.)dropbox\.com$/.test(hostname)) return direct.url === pageUrl ? NO_FILE_IN_DROPBOX : direct;
  if (!/(^|\.)google\.com$|\.googleusercontent\.com$/.test(hostname)) return null;
  const confirmed = confirmForm(pageUrl, html);
  if (confirmed !== null) return { url: confirmed };
  if (/\/file\/|\/open$/.test(pathname)) return direct;
  const meaning = DRIVE_PAGES.find(([words]) => words.test(html))?.[1];
  return { fault: meaning ?? 'Google Drive gives a page instead of the file' };
}

/** The question about a file too large to be scanned: a form with hidden fields, in older pages a link. */
function confirmForm(pageUrl: string, html: string): string | null {
  const form = /<form\b[^>]*\baction="([^"]*)"[^>]*>([^]*?)<\/form>/i.exec(html);
  const link = /href="([^"]*[?&;]confirm=[^"]*)"/i.exec(html)?.[1];
  const target = form?.[1] ?? link;
  if (target === undefined || !/download/.test(target)) return null;
  const url = new URL(unescaped(target), pageUrl);
  for (const [input] of (form?.[2] ?? '').matchAll(/<input\b[^>]*>/gi)) {
    const name = /\bname="([^"]*)"/i.exec(input)?.[1];
    if (name !== undefined)
      url.searchParams.set(unescaped(name), unescaped(/\bvalue="([^"]*)"/i.exec(input)?.[1] ?? ''));
  }
  // Whatever the page says, its answer is looked for at its own house.
  return /(^|\.)google\.com$|\.googleusercontent\.com$/.test(url.hostname) ? url.href : null;
}

const unescaped = (text: string) =>
  text
    .replace(/&amp;/g, '&')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>');
