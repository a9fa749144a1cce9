import type { AiPlatform, AiType, Brief } from '../brief.ts';
import type { RawPost } from '../repair.ts';
import type { Writer } from '../writer.ts';
import { chooserFor, type Chooser } from './chooser.ts';
import { captionAbout, improved, repurposed } from './compose.ts';
import { hashtagsFor } from './hashtags.ts';

type Compose = (brief: Brief, platform: AiPlatform, choose: Chooser) => string;

const CAPTIONS: Readonly<Record<AiType, Compose>> = {
  caption: captionAbout,
  hashtags: () => '',
  repurpose: repurposed,
  improve: improved,
};

/**
 * Writes without a model: the user's own words, corrected, and sentences of a table. The same request gets the same text. It
 * cannot translate: the user's words stay in their language, added sentences are in the requested one.
 */
export const offlineWriter: Writer = {
  name: 'offline',
  translates: false,
  write: brief => Promise.resolve(writeOffline(brief)),
};

export function writeOffline(brief: Brief): Partial<Record<AiPlatform, RawPost>> {
  return Object.fromEntries(brief.platforms.map(platform => [platform, writeFor(brief, platform)]));
}

function writeFor(brief: Brief, platform: AiPlatform): RawPost {
  const choose = chooserFor(JSON.stringify({ ...brief, platforms: platform }));
  return { caption: CAPTIONS[brief.type](brief, platform, choose), hashtags: hashtagsFor(brief, choose) };
}
