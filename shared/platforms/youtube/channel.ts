import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import { API, itemsOf, send, type Caller } from './call.ts';

const Picture = v.object({ url: v.string() });

/** Pictures by size. New channels have none for up to a day. */
export const Thumbnails = v.optional(v.record(v.string(), v.unknown()), {});

/** From the largest to the smallest. */
const SIZES = ['uhd', 'qhd', 'fhd', 'maxres', 'standard', 'high', 'medium', 'default'];

/** Returns the URL of the largest picture; null where there is none. */
export function largestPicture(pictures: Readonly<Record<string, unknown>>): string | null {
  const urls = SIZES.map(size => v.safeParse(Picture, pictures[size]));
  return urls.find(parsed => parsed.success)?.output.url ?? null;
}

const ChannelSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty()),
  snippet: v.object({
    title: v.string(),
    customUrl: v.nullish(v.string(), null),
    thumbnails: Thumbnails,
  }),
  contentDetails: v.object({ relatedPlaylists: v.object({ uploads: v.string() }) }),
  status: v.optional(v.object({ longUploadsStatus: v.optional(v.string(), '') }), {}),
});
export type Channel = v.InferOutput<typeof ChannelSchema>;

/** Returns the channel of a token: each stands for exactly one. Throws PlatformError `rejected` for an account without. */
export async function getChannel(caller: Caller): Promise<Channel> {
  const { items } = await send(
    caller,
    {
      what: 'Reading the channel',
      purpose: 'read',
      method: 'GET',
      url: `${API}/channels`,
      query: { part: 'id,snippet,contentDetails,status', mine: 'true' },
      units: 1,
    },
    itemsOf(ChannelSchema),
  );
  const [channel] = items;
  if (channel) return channel;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'The Google account has no YouTube channel. Create one on YouTube, then connect again and choose it on the page of Google',
  });
}

/** Facts of a channel that rules and publishing use. */
export function channelFacts({ contentDetails, status }: Channel): Record<string, string> {
  return {
    uploads_playlist: contentDetails.relatedPlaylists.uploads,
    long_uploads: status.longUploadsStatus ?? '',
  };
}

/** How a channel is shown. */
export const channelAccount = ({ snippet }: Channel) => ({
  display_name: snippet.title,
  username: snippet.customUrl,
  avatar_url: largestPicture(snippet.thumbnails),
});
