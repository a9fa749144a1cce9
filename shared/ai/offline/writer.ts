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
 * Writes without any model, from tables and the given words alone. The same request gives the same text. It cannot
 * translate: a text stays in its own language, what is added to it is in the one that was asked for.
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
