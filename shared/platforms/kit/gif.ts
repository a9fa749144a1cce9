import type { Draft, RuleViolation } from '../contract/rules.ts';

/** Returns a violation for a GIF beside other pictures, as far as the URLs show it. */
export function mixedGif(platform: string, { media_urls }: Pick<Draft, 'media_urls'>): RuleViolation[] {
  if (media_urls.length < 2 || !media_urls.some(isGif)) return [];
  return [{ field: 'media_urls', message: `${platform} accepts a GIF only as the single image of a post` }];
}

function isGif(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.toLowerCase().endsWith('.gif');
}
