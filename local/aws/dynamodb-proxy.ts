import { Agent, request, type IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { JsonObjectSchema, parseJson, type Json, type JsonObject } from '../../shared/model/json.ts';
import { readBody } from '../http.ts';
import { REGION } from '../template/names.ts';
import { accessKeyId } from './tables.ts';
import type { AwsResponse } from './response.ts';
import type { Units } from './calls.ts';

const READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems'];
const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'];

const CapacitySchema = v.object({ CapacityUnits: v.optional(v.number(), 0) });
const CapacitiesSchema = v.union([
  v.array(CapacitySchema),
  v.pipe(
    CapacitySchema,
    v.transform(one => [one]),
  ),
]);

const ActionsSchema = v.array(
  v.record(
    v.string(),
    v.looseObject({
      Item: v.optional(JsonObjectSchema),
      ExpressionAttributeValues: v.optional(JsonObjectSchema),
    }),
  ),
);

export interface Metered {
  answer: AwsResponse;
  units: Units;
}

/** Forwards a DynamoDB call to the emulator and returns the capacity units that the service would bill. */
export async function callDynamoDb(
  endpoint: string,
  operation: string,
  headers: Record<string, string>,
  body: JsonObject,
): Promise<Metered> {
  const metered = READS.includes(operation) || WRITES.includes(operation);
  const callerWantsCapacity =
    typeof body['ReturnConsumedCapacity'] === 'string' && body['ReturnConsumedCapacity'] !== 'NONE';
  const sent = metered && !callerWantsCapacity ? { ...body, ReturnConsumedCapacity: 'TOTAL' } : body;
  const { status, body: text } = await post(endpoint, withAccessKey(headers), JSON.stringify(sent));
  if (!metered) return { answer: { status, body: text }, units: { read: 0, write: 0 } };
  const parsed = v.parse(JsonObjectSchema, parseJson(text) ?? {});
  const units = unitsOf(operation, body, status === 200 ? parsed['ConsumedCapacity'] : undefined);
  const answer = callerWantsCapacity ? text : JSON.stringify({ ...parsed, ConsumedCapacity: undefined });
  return { answer: { status, body: answer }, units };
}

/** The emulators read for which key and region a request is signed, and check nothing else. */
const withAccessKey = ({ authorization = '', ...headers }: Record<string, string>) => ({
  ...headers,
  authorization: authorization.replace(
    /Credential=[^/]*(\/\d+\/)[^/]*/,
    `Credential=${accessKeyId()}$1${REGION}`,
  ),
});

const agent = new Agent({ keepAlive: true });

/** Uses node:http because `fetch` takes twice as long and every call of every function passes here. */
async function post(endpoint: string, headers: Record<string, string>, body: string): Promise<AwsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(endpoint, { method: 'POST', headers, agent }, resolve).on('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 502, body: (await readBody(response)).toString() };
}

function unitsOf(operation: string, request: JsonObject, consumed: Json | undefined): Units {
  const reported = v.safeParse(CapacitiesSchema, consumed);
  const engine = reported.success
    ? reported.output.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
    : 0;
  if (READS.includes(operation)) return { read: Math.max(engine, 0.5), write: 0 };
  return { read: 0, write: Math.max(engine, leastWriteUnits(operation, request)) };
}

/**
 * The service bills a write whose condition failed like a successful one, and a transaction two units per action and
 * started KB. The emulators do not count failed writes, and DynamoDB Local counts only a transaction's first action.
 */
function leastWriteUnits(operation: string, request: JsonObject): number {
  if (operation !== 'TransactWriteItems') return 1;
  const actions = v.safeParse(ActionsSchema, request['TransactItems']);
  if (!actions.success) return 0;
  return actions.output
    .flatMap(action => Object.values(action))
    .reduce((sum, { Item, ExpressionAttributeValues }) => {
      const bytes = itemBytes(Item ?? ExpressionAttributeValues ?? {});
      return sum + 2 * Math.max(1, Math.ceil(bytes / 1024));
    }, 0);
}

/** Size in bytes of an item in DynamoDB JSON: names and values without the type descriptors. */
function itemBytes(item: JsonObject): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

function valueBytes(typed: Json): number {
  if (typed === null || typeof typed !== 'object' || Array.isArray(typed)) return 1;
  const [type = '', value = null] = Object.entries(typed)[0] ?? [];
  if (type === 'M' && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return 3 + itemBytes(value);
  }
  if (type === 'L' && Array.isArray(value)) {
    return 3 + value.reduce<number>((sum, item) => sum + valueBytes(item) + 1, 0);
  }
  if (type === 'N' && typeof value === 'string') return Math.ceil(value.length / 2) + 1;
  if (type === 'B' && typeof value === 'string') return Math.ceil(value.length * 0.75);
  return typeof value === 'string' ? Buffer.byteLength(value) : 1;
}
