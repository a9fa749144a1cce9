import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { LIVE_PLATFORM, livePlatform } from '../../shared/broadcasts/account.ts';
import { createSession } from '../../shared/broadcasts/create.ts';
import { newSession } from '../../shared/broadcasts/new-session.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError, notFound, type ValidationDetail } from '../../shared/http/errors.ts';
import { answerPlatformError, PLATFORM_CODES, QUOTA_CODES } from '../../shared/http/platform-errors.ts';
import type { Playlist } from '../../shared/model/library.ts';
import type { BodyErrors } from '../../shared/http/route.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { errorOf } from '../../shared/posts/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { getPlaylist } from '../../shared/store/playlists.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';
import type { Table } from '../../shared/store/table.ts';
import { DAY, MINUTE } from '../../shared/time/instant.ts';
import { broadcastFields } from './fields.ts';

/** YouTube takes start times in the future only; a worker needs a moment to start. */
const MIN_LEAD_MS = 1 * MINUTE;
const HORIZON_MS = 365 * DAY;

/** Returns an error for a start that has passed or is too far ahead, and for a playlist without items. */
const bodyErrors: BodyErrors = async (body, { workspace_id }, { table, now }) => {
  const start = v.safeParse(broadcastFields.start_time, body['start_time']);
  const name = v.safeParse(broadcastFields.profile_name, body['profile_name']);
  const playlist = v.safeParse(broadcastFields.playlist_id, body['playlist_id']);
  const isEmpty =
    name.success &&
    playlist.success &&
    playlist.output !== null &&
    (await isEmptyPlaylist(table, workspace_id, name.output, playlist.output));
  return [
    ...(start.success && start.output !== null ? startTimeErrors(start.output, now()) : []),
    ...(isEmpty ? [errorOf('playlist_id', 'The playlist is empty: add media assets to it')] : []),
  ];
};

export const createBroadcast = route({
  method: 'POST',
  path: '/integrations/youtube/broadcasts',
  operation_id: 'createBroadcast',
  summary: 'Create a live broadcast',
  description:
    'Creates a broadcast on YouTube with a stream of its own, for 150 units of the YouTube quota. With `playlist_id`, the service streams the playlist from `start_time` on. Without it, your own encoder streams to `rtmp_url` with the `stream_key` of the session, and the broadcast goes live when YouTube receives it.',
  tag: 'Live broadcasts',
  auth: 'key',
  creates: true,
  // Ignoring one of these would start the broadcast at another time or show it to others.
  refuses_unknown: /privacy|private|visib|listed|start|sched|date|time|when/i,
  body: broadcastFields,
  body_errors: bodyErrors,
  responses: {
    200: {
      description: 'The broadcast was created',
      schema: v.pipe(
        v.object({
          status: v.string(),
          session_id: v.string(),
          broadcast_id: v.string(),
          rtmp_url: v.nullable(v.string()),
        }),
        v.title('CreatedBroadcast'),
      ),
    },
    404: { description: 'No such profile, account or playlist' },
    429: {
      description: 'The YouTube quota is used up, or the rate limit of the API key',
      codes: QUOTA_CODES,
    },
    501: { description: 'This deployment streams no playlists', codes: ['LIVE_NOT_ENABLED'] },
    503: {
      description: 'YouTube does not answer, or refuses new broadcasts for a while',
      codes: PLATFORM_CODES,
    },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const profile = await requireProfileByName(services, principal, body.profile_name);
    const earliest = services.now() + MIN_LEAD_MS;
    const start_time = Math.max(body.start_time ?? earliest, earliest);
    const playlist =
      body.playlist_id === null ? null : await findPlaylist(services, profile, body.playlist_id);
    const account = await getConnection(services.table, profile.workspace_id, profile.id, LIVE_PLATFORM);
    if (!account) throw notFound('Account');
    const session = newSession({
      id: newResourceId(),
      workspace_id: profile.workspace_id,
      profile_id: profile.id,
      profile_name: profile.profile_name,
      social_account_id: account.id,
      title: body.title,
      description: body.description,
      privacy: body.privacyStatus,
      start_time,
      playlist_id: playlist?.id ?? null,
      is_loop: body.is_loop ?? playlist?.loop_enabled ?? false,
      created_at: asked_at,
    });
    const live = await livePlatform();
    const created = await answerPlatformError(services, LIVE_PLATFORM, () =>
      createSession(services, live, session),
    );
    return {
      status: 200,
      body: {
        status: created.status,
        session_id: created.id,
        broadcast_id: created.youtube_broadcast_id ?? '',
        rtmp_url: created.rtmp_url,
      },
    };
  },
});

function startTimeErrors(given: number, now: number): ValidationDetail[] {
  if (given <= now) return [errorOf('start_time', 'Must be in the future')];
  return given > now + HORIZON_MS ? [errorOf('start_time', 'Must be at most 365 days ahead')] : [];
}

/** False for a playlist that does not exist or is another profile's: that is a 404. */
async function isEmptyPlaylist(
  table: Table,
  workspaceId: string,
  profileName: string,
  id: string,
): Promise<boolean> {
  const playlist = await getPlaylist(table, workspaceId, id);
  if (playlist?.items.length !== 0) return false;
  return (await findProfileByName(table, workspaceId, profileName))?.id === playlist.profile_id;
}

async function findPlaylist(services: Services, profile: Profile, id: string): Promise<Playlist> {
  if (services.setting(ENV.liveEnabled) !== 'true') throw liveNotEnabled();
  const playlist = await getPlaylist(services.table, profile.workspace_id, id);
  if (playlist?.profile_id !== profile.id) throw notFound('Playlist');
  return playlist;
}

const liveNotEnabled = () =>
  new ApiError({
    status: 501,
    body: {
      error:
        'This deployment streams no playlists: the operator can enable it with the setting live. Without playlist_id, your own encoder can stream',
      code: 'LIVE_NOT_ENABLED',
    },
  });
