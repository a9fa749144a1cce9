import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { localClientConfig } from '../../../local/aws/tables.ts';
import { newId } from '../../../shared/model/id.ts';
import type { PlatformId, PostType } from '../../../shared/model/platform.ts';
import type { Post } from '../../../shared/model/post.ts';
import type { Connection } from '../../../shared/model/profile.ts';
import { deleteCapReservation, listCapReservations } from '../../../shared/store/cap-reservations.ts';
import { listConnections } from '../../../shared/store/connections.ts';
import { createPost, getPost } from '../../../shared/store/posts.ts';
import { listProfiles } from '../../../shared/store/profiles.ts';
import type { Table } from '../../../shared/store/table.ts';
import { DAY } from '../../../shared/time/instant.ts';
import { newPendingPost } from '../../support/delivery-world.ts';
import { platformFields } from '../../support/platform-fields.ts';
import type { TestStack } from '../../support/stack.ts';

/** Posts of the demo profile that the stack itself does not publish. */
export interface Posts {
  /** Stores a post to one platform that is due now, and returns the message that publishes it. */
  store: (platform: PlatformId, type: PostType, url: string | null, weight: number) => Promise<SQSRecord>;
  /** Throws unless the posts of these messages are published, or wait for the platform. */
  assertFine: (records: readonly SQSRecord[]) => Promise<void>;
  /** Forgets the posts of the last day, so that no daily cap is reached. */
  freeCaps: () => Promise<void>;
  close: () => void;
}

export async function demoPosts({ aws, workspace_id }: TestStack): Promise<Posts> {
  const client = new DynamoDBClient(localClientConfig(aws.endpoint));
  const table: Table = { client: DynamoDBDocumentClient.from(client), name: aws.table };
  const [profile] = await listProfiles(table, workspace_id);
  if (!profile) throw new Error('There is no demo profile');
  const connections = await listConnections(table, workspace_id, profile.id);

  function postOf(connection: Connection, type: PostType, url: string | null): Post {
    const now = Date.now();
    const { platform } = connection;
    const { destinations, ...post } = newPendingPost(now, [platform]);
    return {
      ...post,
      ...{ workspace_id, profile_id: profile!.id, profile_name: profile!.profile_name, post_type: type },
      ...{ title: 'A title', description: `A text of a benchmark: ${words(newId())}` },
      media_urls: url === null ? [] : [url],
      options: platformFields(type, [platform]),
      destinations: { [platform]: { ...destinations[platform]!, social_account_id: connection.id } },
      // The sweeper leaves it alone.
      wake_at: now + DAY,
    };
  }

  return {
    store: async (platform, type, url, weight) => {
      const connection = connections.find(each => each.platform === platform);
      if (!connection) throw new Error(`There is no account of ${platform}`);
      const post = postOf(connection, type, url);
      await createPost(table, post);
      const { post_id, version } = post;
      const body = JSON.stringify({ workspace_id, post_id, version, platform, weight });
      return { messageId: post_id, body } as SQSRecord;
    },
    assertFine: async records => {
      for (const { messageId } of records) {
        const post = await getPost(table, workspace_id, messageId);
        for (const destination of Object.values(post?.destinations ?? {})) {
          if (destination.failures > 0 || destination.status === 'failed')
            throw new Error(JSON.stringify(destination));
        }
      }
    },
    freeCaps: async () => {
      const now = Date.now();
      for (const { id } of connections)
        for (const reservation of await listCapReservations(table, id, now - 2 * DAY, now + 2 * DAY))
          await deleteCapReservation(table, reservation);
    },
    close: () => client.destroy(),
  };
}

/** Replaces digits, in which a platform may see a phone number. */
const words = (id: string) => id.replace(/\d/g, digit => 'ghijklmnop'.charAt(Number(digit)));
