import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { workspaceKey, type Key, type Table } from './table.ts';

/** A workspace's changes to the list of banned hashtags; folded, without `#`. */
export interface HashtagChoices {
  added: string[];
  allowed: string[];
}

const ChoicesItem = v.object({ added: v.array(v.string()), allowed: v.array(v.string()) });

const choicesKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'BANNED_HASHTAGS' });

export async function getHashtagChoices(table: Table, workspaceId: string): Promise<HashtagChoices> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: choicesKey(workspaceId) }),
  );
  return Item ? v.parse(ChoicesItem, Item) : { added: [], allowed: [] };
}

export async function putHashtagChoices(
  table: Table,
  workspaceId: string,
  choices: HashtagChoices,
): Promise<void> {
  const Item = { ...choicesKey(workspaceId), ...choices };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}
