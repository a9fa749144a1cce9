import { findLinks } from '../../text/links.ts';

/** Facebook refuses to share links to itself through the API. */
const OWN_HOST = /(?:^|\.)(?:facebook\.com|fb\.com|fb\.me|fb\.watch)$/i;

/** Returns the link of a text that Facebook shows as a preview: the first with a scheme, unless it leads to Facebook. */
export function previewLink(text: string): string | null {
  const link = findLinks(text).find(({ has_scheme }) => has_scheme)?.text;
  if (link === undefined || !URL.canParse(link)) return null;
  return OWN_HOST.test(new URL(link).hostname) ? null : link;
}
