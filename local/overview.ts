import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { postRecord } from '../shared/posts/present/record.ts';
import type { PostRecord } from '../shared/posts/present/view.ts';
import { listConnections } from '../shared/store/connections.ts';
import { listPosts } from '../shared/store/posts.ts';
import { localClientConfig } from './aws/tables.ts';

/** What the sandbox's page shows of a post beside what the platforms received. */
export interface PostOverview {
  record: PostRecord;
  /** When it is to be published, epoch milliseconds. */
  due_at: number;
}

export interface Overview {
  /** Newest first. */
  posts: PostOverview[];
  /** Names of accounts as people write them, by the id of the account. */
  handles: ReadonlyMap<string, string>;
}

const MAX_POSTS = 100;

/**
 * Returns a function that reads the posts of a workspace from the emulator itself, so that an open page changes neither
 * the counted AWS calls nor the rate limit of the API key.
 */
export function createOverview(endpoint: string, tableName: string) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(endpoint)));
  const table = { client, name: tableName };
  return {
    read: async (workspaceId: string): Promise<Overview> => {
      const [{ posts }, accounts] = await Promise.all([
        listPosts(table, workspaceId, MAX_POSTS, null),
        listConnections(table, workspaceId),
      ]);
      return {
        posts: posts.map(post => ({ record: postRecord(post), due_at: post.due_at })),
        handles: new Map(
          accounts.map(({ id, username, display_name }) => [
            id,
            username === null ? display_name : `@${username.replace(/^@/, '')}`,
          ]),
        ),
      };
    },
    close: () => client.destroy(),
  };
}
