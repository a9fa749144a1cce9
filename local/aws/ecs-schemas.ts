import * as v from 'valibot';
import { AwsError } from './response.ts';

const name = v.pipe(v.string(), v.nonEmpty());
const startedBy = v.pipe(v.string(), v.regex(/^[\w/-]{1,128}$/, 'startedBy has invalid characters'));

const OverrideSchema = v.object({
  name,
  command: v.optional(v.array(v.string())),
  environment: v.optional(v.array(v.object({ name, value: v.string() })), []),
});

/** The network that every Fargate task needs. */
const NetworkSchema = v.object({
  awsvpcConfiguration: v.object({
    subnets: v.pipe(v.array(name), v.minLength(1, 'subnets can not be empty.')),
    securityGroups: v.optional(v.array(name), []),
    assignPublicIp: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'DISABLED'),
  }),
});

export const RunTaskSchema = v.strictObject({
  cluster: name,
  taskDefinition: name,
  launchType: v.literal('FARGATE'),
  networkConfiguration: NetworkSchema,
  overrides: v.optional(v.object({ containerOverrides: v.optional(v.array(OverrideSchema), []) }), {}),
  startedBy: v.optional(startedBy),
  group: v.optional(v.pipe(v.string(), v.regex(/^[\w:./-]{1,255}$/))),
  clientToken: v.optional(v.pipe(v.string(), v.regex(/^[!-~]{1,64}$/))),
  count: v.optional(v.literal(1), 1),
  propagateTags: v.optional(v.string()),
  enableECSManagedTags: v.optional(v.boolean()),
  enableExecuteCommand: v.optional(v.boolean()),
});
export type RunTaskInput = v.InferOutput<typeof RunTaskSchema>;

export const DescribeTasksSchema = v.object({
  cluster: name,
  tasks: v.pipe(v.array(name), v.minLength(1), v.maxLength(100)),
});

export const StopTaskSchema = v.object({ cluster: name, task: name, reason: v.optional(v.string()) });

export const ListTasksSchema = v.object({
  cluster: name,
  startedBy: v.optional(startedBy),
  desiredStatus: v.optional(v.picklist(['RUNNING', 'STOPPED']), 'RUNNING'),
});

/** Throws the error of ECS for an invalid request. */
export function parseInput<T>(schema: v.GenericSchema<unknown, T>, input: unknown): T {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new AwsError('InvalidParameterException', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}
