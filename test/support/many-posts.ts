import { BatchWriteCommand, type DynamoDBDocumentClient, type PutCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../../shared/model/id.ts';
import type { Post } from '../../shared/model/post.ts';
import { createPost } from '../../shared/store/posts.ts';
import type { Table } from '../../shared/store/table.ts';

/** Items of a BatchWrite, and concurrent batches. */
const BATCH = 25;
const PARALLEL = 8;

/** Stores `count` published posts, one for each second before `newest`. */
export async function fillWithPosts(
  table: Table,
  owner: Pick<Post, 'workspace_id' | 'profile_id'>,
  count: number,
  newest: number,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let first = next; first < count; first = next) {
      next = Math.min(count, first + BATCH);
      const posts = Array.from({ length: next - first }, (_, index) =>
        oldPost(owner, newest - (first + index) * 1000),
      );
      await putAll(table, posts);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

async function putAll(table: Table, posts: readonly Post[]): Promise<void> {
  const items = await Promise.all(posts.map(itemOf));
  let left: Record<string, unknown[]> | undefined = {
    [table.name]: items.map(Item => ({ PutRequest: { Item } })),
  };
  while (left && Object.keys(left).length > 0) {
    const answer: { UnprocessedItems?: Record<string, unknown[]> | undefined } = await table.client.send(
      new BatchWriteCommand({ RequestItems: left as never }),
    );
    left = answer.UnprocessedItems;
  }
}

/** Returns the item that the store would put, since only the store knows its keys. */
async function itemOf(post: Post): Promise<unknown> {
  let item: unknown;
  const send = (command: PutCommand) => Promise.resolve((item = command.input.Item));
  await createPost({ name: 'none', client: { send } as unknown as DynamoDBDocumentClient }, post);
  return item;
}

function oldPost({ workspace_id, profile_id }: Pick<Post, 'workspace_id' | 'profile_id'>, at: number): Post {
  const post_id = newId(at);
  return {
    post_id,
    workspace_id,
    profile_id,
    profile_name: 'Acme',
    post_type: 'text',
    title: null,
    description: `An old post of ordinary length, number ${post_id}, with a link: https://example.com/${post_id}`,
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    scheduling: 'immediate',
    due_at: at,
    version: 1,
    created_by: null,
    created_at: at,
    updated_at: at,
    destinations: {
      x: {
        status: 'published',
        platform: 'x',
        social_account_id: newId(at),
        revision: 4,
        attempts: 1,
        failures: 0,
        first_attempt_at: at,
        changed_at: at,
        outbox: [],
        platform_post_id: '1890000000000000000',
        platform_post_url: 'https://x.com/acme/status/1890000000000000000',
        published_at: at,
        follow_ups: [],
        lease: null,
      },
    },
  };
}
