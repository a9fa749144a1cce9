import * as v from 'valibot';
import { AwsError } from './response.ts';

/** The service's limits: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
export const NameSchema = v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/, 'must match [0-9a-zA-Z-_.]{1,64}'));
const Token = v.optional(v.nullable(v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/))), null);
const Arn = v.pipe(v.string(), v.startsWith('arn:'), v.maxLength(1600));
const wholeBetween = (low: number, high: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high));

const TargetSchema = v.strictObject({
  Arn,
  RoleArn: Arn,
  Input: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.check(input => Buffer.byteLength(input) <= 256 * 1024, 'must be at most 256 KB'),
    ),
  ),
  RetryPolicy: v.optional(
    v.strictObject({
      MaximumEventAgeInSeconds: v.optional(wholeBetween(60, 86_400), 86_400),
      MaximumRetryAttempts: v.optional(wholeBetween(0, 185), 185),
    }),
    {},
  ),
  DeadLetterConfig: v.optional(v.strictObject({ Arn: v.optional(Arn) })),
  SqsParameters: v.optional(v.strictObject({ MessageGroupId: v.optional(v.string()) })),
});

export const ScheduleInputSchema = v.strictObject({
  ScheduleExpression: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  ScheduleExpressionTimezone: v.optional(v.pipe(v.string(), v.maxLength(50)), 'UTC'),
  FlexibleTimeWindow: v.variant('Mode', [
    v.strictObject({ Mode: v.literal('OFF') }),
    v.strictObject({ Mode: v.literal('FLEXIBLE'), MaximumWindowInMinutes: wholeBetween(1, 1440) }),
  ]),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'ENABLED'),
  GroupName: v.optional(NameSchema, 'default'),
  Description: v.optional(v.pipe(v.string(), v.maxLength(512))),
  ActionAfterCompletion: v.optional(v.picklist(['NONE', 'DELETE']), 'NONE'),
  ClientToken: Token,
  /** Epoch seconds. */
  StartDate: v.optional(v.number()),
  EndDate: v.optional(v.number()),
  KmsKeyArn: v.optional(Arn),
  Target: TargetSchema,
});
export type ScheduleInput = v.InferOutput<typeof ScheduleInputSchema>;

export const StoredScheduleSchema = v.object({
  ...ScheduleInputSchema.entries,
  Name: v.string(),
  Arn: v.string(),
  /** Epoch seconds, as on the wire. */
  CreationDate: v.number(),
  LastModificationDate: v.number(),
  /** Epoch milliseconds, jitter included. */
  fire_at: v.number(),
});
export type StoredSchedule = v.InferOutput<typeof StoredScheduleSchema>;

export const GroupSchema = v.object({ ClientToken: v.nullable(v.string()) });
export const CreateGroupSchema = v.object({ ClientToken: Token });

export const ListQuerySchema = v.object({
  ScheduleGroup: v.optional(v.string()),
  NamePrefix: v.optional(v.string()),
  NextToken: v.optional(v.string()),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED'])),
  MaxResults: v.optional(v.pipe(v.string(), v.transform(Number), wholeBetween(1, 100))),
});

/** Throws the service's ValidationException. */
export function parseInput<T>(schema: v.GenericSchema<unknown, T>, input: unknown): T {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new AwsError('ValidationException', `${v.getDotPath(issue) ?? 'name'}: ${issue.message}`);
}
