/** A direct link to a file, or why there is none. */
export type DirectLink = { url: string } | { problem: string };

interface Host {
  names: readonly string[];
  direct: (url: URL) => DirectLink;
}

const HOSTS: readonly Host[] = [
  { names: ['drive.google.com', 'docs.google.com', 'drive.usercontent.google.com'], direct: driveLink },
  { names: ['dropbox.com', 'www.dropbox.com', 'm.dropbox.com'], direct: dropboxLink },
];

/** Converts a share link of Google Drive or Dropbox to a direct link; returns every other URL unchanged. */
export function directLink(text: string): DirectLink {
  if (!URL.canParse(text)) return { url: text };
  const url = new URL(text);
  const host = HOSTS.find(({ names }) => names.includes(url.hostname.toLowerCase()));
  return host ? host.direct(url) : { url: text };
}

/** Serves the bytes of a file; `confirm=t` skips the warning about files that were not scanned for viruses. */
const DRIVE_DOWNLOAD = 'https://drive.usercontent.google.com/download';

/** Google's own document types have no bytes of their own; they can be exported. */
const GOOGLE_EXPORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    document: 'export?format=pdf',
    presentation: 'export/pdf',
    spreadsheets: 'export?format=pdf',
    drawings: 'export/pdf',
  }),
);

/**
 * Accepts `/file/d/<id>/view`, `/open?id=` and `/uc?id=&export=download`, each also below `/u/<n>/`, `/a/<domain>/` or
 * `/file/u/<n>/`. Keeps the resource key that older files need.
 */
function driveLink(url: URL): DirectLink {
  if (/\/folders\//.test(url.pathname) || url.pathname.endsWith('/folderview')) {
    return { problem: 'The link leads to a Google Drive folder. Share the file itself' };
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
 * Accepts `/s/<id>/<name>`, `/scl/fi/<id>/<name>?rlkey=`, and in a shared folder `/scl/fo/<id>/<key>/<name>?rlkey=` or
 * `/sh/<id>/<key>/<name>`; `dl=1` requests the bytes. A folder would be sent as an archive.
 */
function dropboxLink(url: URL): DirectLink {
  if (/^\/(sh|scl\/fo)\/[^/]+(\/[^/]+)?\/?$/.test(url.pathname)) {
    return { problem: 'The link leads to a Dropbox folder. Share the file itself' };
  }
  const direct = new URL(url);
  direct.protocol = 'https:';
  direct.hostname = 'www.dropbox.com';
  direct.searchParams.delete('raw');
  direct.searchParams.set('dl', '1');
  return { url: direct.href };
}
