import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import type { AnyGrant } from './connectors.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';

/** Returns a publish job of a connected Bluesky account; a text post by default. */
export function blueskyJob(grant: AnyGrant, change: Partial<PublishJob> = {}): PublishJob {
  const { platform_user_id, username } = grant.account;
  const due_at = Date.parse('2026-03-02T10:00:00.123Z');
  return {
    post_id: '0195588e-8f7b-7000-8000-000000000001',
    platform: 'bluesky',
    post_type: 'text',
    title: null,
    description: change.text ?? 'Hello',
    text: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at,
    created_at: due_at,
    ...change,
  };
}

/** Returns a JPEG of noise, about 2.4 bytes per pixel. */
export function noisyJpeg(width: number, height: number): Promise<Buffer> {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
}
