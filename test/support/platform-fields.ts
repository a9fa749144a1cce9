import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { BOARD } from './pinterest.ts';

type Fields = Readonly<Record<string, string>>;

/** Fields that platforms require besides text and media. The board belongs to the sandbox's demo account. */
const REQUIRED: Readonly<Partial<Record<PlatformId, Fields>>> = {
  pinterest: { pinterest_board_id: BOARD.id },
  snapchat: { snapchat_post_type: 'spotlight' },
  tiktok: { tiktok_privacy_level: 'SELF_ONLY' },
};

/** Returns the platform fields that a post needs, and the alt texts of images, which are separate requests on some platforms. */
export function platformFields(post_type: PostType, platforms: readonly PlatformId[]): Fields {
  const altTexts = post_type === 'image' ? platforms.flatMap(altTextOf) : [];
  const required = platforms.flatMap(platform => Object.entries(REQUIRED[platform] ?? {}));
  return Object.fromEntries([...required, ...altTexts]);
}

function altTextOf(platform: PlatformId): [string, string][] {
  const field = `${platform}_alt_text`;
  return field in RULES[platform].options ? [[field, 'An image']] : [];
}
