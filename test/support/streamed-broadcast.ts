import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClipHost } from './clip-host.ts';
import { readRecording, type Recording } from './recording.ts';
import type { TestStack } from './stack.ts';

interface Session {
  id: string;
  status: string;
  error: unknown;
  stream_key: string | null;
}

interface Task {
  id: string;
  started_by: string;
}

/** A broadcast as the sandbox's YouTube shows it. */
interface Published {
  platform_post_id: string;
  media: { url: string }[];
  fields: { life_cycle_status: string };
}

/** A live broadcast of a playlist on a local stack, and what its parts show. */
export interface StreamedBroadcast {
  sessionId: string;
  broadcastId: string;
  /** The session as the API shows it. */
  session: () => Promise<Session>;
  /** Tasks of the session that have not ended. */
  tasks: () => Promise<Task[]>;
  published: () => Promise<Published>;
  /** Downloads what the sandbox's page plays; null while nothing is recorded. */
  recording: () => Promise<Recording | null>;
  /** Length of that in milliseconds. */
  recordedMs: () => Promise<number>;
}

/** Creates a broadcast of the Demo profile that loops these files of the host. */
export async function createBroadcast(
  stack: TestStack,
  host: ClipHost,
  files: readonly string[],
): Promise<StreamedBroadcast> {
  const created = await stack.api<{ session_id: string; broadcast_id: string }>(
    'POST',
    '/integrations/youtube/broadcasts',
    {
      profile_name: 'Demo',
      title: 'All day long',
      privacyStatus: 'private',
      playlist_id: await createPlaylist(stack, host, files),
      is_loop: true,
    },
  );
  if (created.status !== 200) throw new Error(`No broadcast: ${JSON.stringify(created.body)}`);
  const { session_id: sessionId, broadcast_id: broadcastId } = created.body;

  const session = async () => {
    const path = '/integrations/youtube/broadcasts';
    const { body } = await stack.api<{ broadcasts: Session[] }>('GET', path);
    return the(body.broadcasts.find(({ id }) => id === sessionId));
  };
  const tasks = async () => {
    const { body } = await stack.local<{ tasks: Task[] }>('GET', '/_local/tasks');
    return body.tasks.filter(({ started_by }) => started_by === sessionId);
  };
  const published = async () => {
    const path = '/_control/published?platform=youtube';
    const { body } = await stack.control<{ items: Published[] }>('GET', path);
    return the(body.items.find(({ platform_post_id }) => platform_post_id === broadcastId));
  };
  const recording = async () => {
    const { media } = await published();
    return download(the(media[0]).url);
  };
  const recordedMs = async () => (await recording())?.pictures.at(-1)?.time ?? 0;
  return { sessionId, broadcastId, session, tasks, published, recording, recordedMs };
}

/** Creates a playlist of the Demo profile and returns its id. */
async function createPlaylist(stack: TestStack, host: ClipHost, files: readonly string[]): Promise<string> {
  const { body: all } = await stack.api<{ profiles: { id: string; profile_name: string }[] }>(
    'GET',
    '/agency/profiles',
  );
  const profile_id = the(all.profiles.find(({ profile_name }) => profile_name === 'Demo')).id;
  const assets = files.map(title => ({ profile_id, title, source_type: 'url', public_url: host.url(title) }));
  const { body: added } = await stack.api<{ media: { id: string }[] }>('POST', '/agency/media', assets);
  const media_asset_ids = added.media.map(({ id }) => id);
  const { body: created } = await stack.api<{ playlist: { id: string } }>('POST', '/agency/playlists', {
    profile_id,
    name: 'Loop',
    media_asset_ids,
  });
  return created.playlist.id;
}

/** What must be there. */
function the<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Something of the broadcast is missing');
  return value;
}

async function download(url: string): Promise<Recording | null> {
  const response = await fetch(url);
  if (response.status === 404) return null;
  const type = response.headers.get('content-type');
  if (type !== 'video/mp4') throw new Error(`The recording is ${response.status} ${type}`);
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  try {
    const file = join(folder, 'recording.mp4');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    return await readRecording(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
