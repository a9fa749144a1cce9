import type { Draft, Fault } from '../contract/rules.ts';

/** Some platforms take one GIF or several still pictures, never both: refused as far as the URLs tell. */
export function mixedGif(platform: string, { media_urls }: Pick<Draft, 'media_urls'>): Fault[] {
  if (media_urls.length < 2 || !media_urls.some(isGif)) return [];
  return [{ field: 'media_urls', message: `On ${platform} a GIF must be the only image of its post` }];
}

function isGif(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.toLowerCase().endsWith('.gif');
}
