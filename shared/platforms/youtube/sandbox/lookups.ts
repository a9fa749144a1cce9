import type { Hono } from 'hono';
import { badParameter, refuse } from './errors.ts';
import { guarded, required, type Guard } from './guard.ts';
import { CATEGORIES } from './metadata.ts';

const LANGUAGES = ['de', 'en', 'en-GB', 'es', 'fr', 'it', 'ja', 'pt', 'zh-CN'];
const REGIONS = ['AT', 'BR', 'CH', 'DE', 'FR', 'GB', 'IT', 'JP', 'US'];

/** Categories, languages and regions. */
export function addLookups(app: Hono, guard: Guard, root: string): void {
  app.get(
    `${root}/videoCategories`,
    guarded(guard, 'categories', ({ c }) => {
      const region = required(c, 'regionCode');
      if (!REGIONS.includes(region)) {
        refuse(
          404,
          'videoCategoryNotFound',
          'The video category identified by the id parameter cannot be found.',
          {
            domain: 'youtube.videoCategory',
          },
        );
      }
      const items = CATEGORIES.map(([id, title, assignable]) => ({
        kind: 'youtube#videoCategory',
        etag: `etag-${id}`,
        id,
        snippet: { title, assignable, channelId: 'UCBR8-60-B28hp2BmDPdntcQ' },
      }));
      return c.json({ kind: 'youtube#videoCategoryListResponse', etag: 'etag-categories', items });
    }),
  );
  app.get(
    `${root}/i18nLanguages`,
    guarded(guard, 'languages', ({ c }) => {
      const nameOf = namesIn(c.req.query('hl'), 'language');
      const items = LANGUAGES.map(hl => ({
        kind: 'youtube#i18nLanguage',
        etag: `etag-${hl}`,
        id: hl,
        snippet: { hl, name: nameOf(hl) },
      }));
      return c.json({ kind: 'youtube#i18nLanguageListResponse', etag: 'etag-languages', items });
    }),
  );
  app.get(
    `${root}/i18nRegions`,
    guarded(guard, 'regions', ({ c }) => {
      const nameOf = namesIn(c.req.query('hl'), 'region');
      const items = REGIONS.map(gl => ({
        kind: 'youtube#i18nRegion',
        etag: `etag-${gl}`,
        id: gl,
        snippet: { gl, name: nameOf(gl) },
      }));
      return c.json({ kind: 'youtube#i18nRegionListResponse', etag: 'etag-regions', items });
    }),
  );
}

/** Names in a language, by default American English. */
function namesIn(hl: string | undefined, type: 'language' | 'region'): (code: string) => string {
  try {
    const names = new Intl.DisplayNames((hl ?? 'en_US').replace('_', '-'), { type });
    return code => names.of(code) ?? code;
  } catch {
    return badParameter('invalidParameter', 'hl', `Invalid value '${hl ?? ''}'`);
  }
}
