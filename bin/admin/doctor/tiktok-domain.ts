import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ENV } from '../../../shared/aws/env.ts';
import { connectedPlatforms } from '../../../shared/store/connected-platforms.ts';
import { PUBLIC } from '../../../shared/store/objects.ts';
import { ok, todo, type Check } from './finding.ts';

/** Whether TikTok's signature file is in the bucket. TikTok does not tell whether it has verified it. */
export const tiktokDomain: Check = {
  name: 'TikTok domain',
  run: async ({ s3, table, settings, isLocal }) => {
    if (isLocal) return [ok('The sandbox of TikTok takes the media of the local stack')];
    const connected = await connectedPlatforms(table);
    if (!connected.includes('tiktok')) return [ok('No account of TikTok is connected')];
    const setting = await settings();
    const { Contents = [] } = await s3.send(
      new ListObjectsV2Command({ Bucket: setting(ENV.mediaBucket), Prefix: `${PUBLIC}tiktok` }),
    );
    if (Contents.length > 0) return [ok(`The signature file is served below ${setting(ENV.mediaUrl)}`)];
    return [
      todo(
        `TikTok rejects photos from ${setting(ENV.mediaUrl)} until you prove that it is yours: docs/deploy.md, "TikTok: verify ` +
          'the media URL"',
      ),
    ];
  },
};
