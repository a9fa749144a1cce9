import { readHtml } from '../../net/html.ts';
import { directLink, type DirectLink } from './share-links.ts';

const NOT_SHARED = { problem: 'The file is not shared. Set its access to "Anyone with the link"' };
const NOT_IN_DROPBOX = {
  problem: 'Dropbox returned a web page instead of the file: it is not shared, or it was deleted',
};

/** What Drive's pages say instead of sending a file, and what that means to the user. */
const DRIVE_PAGES: readonly { phrases: readonly string[]; problem: string }[] = [
  {
    phrases: ['too many users have viewed', 'quota exceeded'],
    problem: 'Google Drive blocks this file for up to 24 hours because too many people downloaded it',
  },
  { phrases: ['accounts.google.com', 'sign in', 'you need access'], problem: NOT_SHARED.problem },
];

/**
 * Reads a web page that was sent instead of a file: returns the link to follow, or why there is no file. A shortened link
 * leads to a file's page, whose own direct link is returned. Null for a page of another host.
 */
export function readSharePage(pageUrl: string, html: string): DirectLink | null {
  const { hostname, pathname } = new URL(pageUrl);
  const direct = directLink(pageUrl);
  if ('problem' in direct) return direct;
  if (hostname === 'accounts.google.com') return NOT_SHARED;
  if (isWithin(hostname, 'dropbox.com')) return direct.url === pageUrl ? NOT_IN_DROPBOX : direct;
  if (!isGoogle(hostname)) return null;
  const confirmed = confirmedDownload(pageUrl, html);
  if (confirmed !== null) return { url: confirmed };
  if (/\/file\/|\/open$/.test(pathname)) return direct;
  const text = html.toLowerCase();
  const page = DRIVE_PAGES.find(({ phrases }) => phrases.some(phrase => text.includes(phrase)));
  return { problem: page?.problem ?? 'Google Drive returned a web page instead of the file' };
}

const isWithin = (hostname: string, domain: string) => hostname === domain || hostname.endsWith(`.${domain}`);

const isGoogle = (hostname: string) =>
  isWithin(hostname, 'google.com') || hostname.endsWith('.googleusercontent.com');

/** Answers the virus scan warning of a large file: a form with hidden fields, in older pages a link. */
function confirmedDownload(pageUrl: string, html: string): string | null {
  const { form, fields, link } = readWarning(html);
  const target = form ?? link;
  if (target === null || !target.includes('download') || !URL.canParse(target, pageUrl)) return null;
  const url = new URL(target, pageUrl);
  for (const [name, value] of fields) url.searchParams.set(name, value);
  // Never follow the page to another host.
  return isGoogle(url.hostname) ? url.href : null;
}

/** A warning has a handful of fields. */
const MAX_FIELDS = 50;

interface Warning {
  /** Action of the first form. */
  form: string | null;
  /** Named inputs of that form. */
  fields: [name: string, value: string][];
  /** The first link with a confirmation code. */
  link: string | null;
}

function readWarning(html: string): Warning {
  const warning: Warning = { form: null, fields: [], link: null };
  let isInForm = false;
  readHtml(html, {
    startTag: (tag, attributes) => {
      const action = attributes.get('action');
      const name = attributes.get('name');
      const href = attributes.get('href');
      if (tag === 'form' && action !== undefined && warning.form === null) {
        warning.form = action;
        isInForm = true;
      }
      if (tag === 'input' && name !== undefined && isInForm && warning.fields.length < MAX_FIELDS)
        warning.fields.push([name, attributes.get('value') ?? '']);
      if (href !== undefined && /[?&;]confirm=/.test(href)) warning.link ??= href;
      return undefined;
    },
    endTag: tag => {
      if (tag === 'form') isInForm = false;
    },
  });
  return warning;
}
