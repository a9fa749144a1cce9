import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { validationFailed } from '../../shared/http/errors.ts';
import { readNetSettings } from '../../shared/net/settings.ts';
import type { Services } from '../../shared/runtime/services.ts';

/** Page of the caller to return to after the consent page. */
export const redirectUrlField = v.pipe(
  v.string(),
  v.maxLength(2048, 'Must be at most 2048 characters'),
  v.check(isPageUrl, 'Must be the https URL of a page of yours'),
);

/** Throws 400 for a page that the operator does not allow. On the local stack, loopback pages are always allowed. */
export function assertAllowedRedirect(redirectUrl: string, services: Services): void {
  const allowed = services.setting(ENV.redirectAllowlist).split(',');
  const page = new URL(redirectUrl);
  if (allowed.includes('*') || allowed.includes(page.origin) || isLocalPage(page)) return;
  const message =
    'redirect_url must be on a site that the operator of this service allows (setting redirectAllowlist)';
  throw validationFailed([{ field: 'redirect_url', message, platform: null }]);
}

function isPageUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const page = new URL(text);
  return page.protocol === 'https:' || (page.protocol === 'http:' && isLocalPage(page));
}

const isLocalPage = ({ hostname }: URL) =>
  (hostname === 'localhost' || hostname === '127.0.0.1') && readNetSettings().allowLoopback;
