import * as v from 'valibot';
import type { Reader } from './reader.ts';

/** A task definition of ECS with its only container. */
export interface TaskDefinitionResource {
  arn: string;
  family: string;
  container: string;
  command: string[];
  environment: Record<string, string>;
  /** Seconds between SIGTERM and SIGKILL. */
  stopTimeoutS: number;
}

const ContainerSchema = v.object({
  Name: v.string(),
  Command: v.array(v.string()),
  Environment: v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []),
  StopTimeout: v.optional(v.number(), 30),
});

export function taskDefinitions({ all, references }: Reader): TaskDefinitionResource[] {
  return all(['AWS::ECS::TaskDefinition'], {
    Family: v.string(),
    ContainerDefinitions: v.tuple([ContainerSchema]),
  }).map(({ id, properties: { Family, ContainerDefinitions } }) => {
    const [{ Name, Command, Environment, StopTimeout }] = ContainerDefinitions;
    return {
      arn: references.ref(id),
      family: Family,
      container: Name,
      command: Command,
      environment: Object.fromEntries(Environment.map(variable => [variable.Name, variable.Value])),
      stopTimeoutS: StopTimeout,
    };
  });
}

/** Names of the ECS clusters. */
export function clusters({ all, references }: Reader): string[] {
  return all(['AWS::ECS::Cluster'], {}).map(({ id }) => references.ref(id));
}

/** A rule that sends the events of its pattern to targets. */
export interface EventRule {
  pattern: Record<string, unknown>;
  targets: { arn: string; input: InputTransformer | null }[];
}

const InputSchema = v.object({
  /** Paths into the event, by the name that the template uses. */
  InputPathsMap: v.optional(v.record(v.string(), v.string()), {}),
  InputTemplate: v.string(),
});
export type InputTransformer = v.InferOutput<typeof InputSchema>;

/** Enabled rules of EventBridge with an event pattern. */
export function eventRules({ all }: Reader): EventRule[] {
  return all(['AWS::Events::Rule'], {
    EventPattern: v.optional(v.record(v.string(), v.unknown())),
    State: v.optional(v.string(), 'ENABLED'),
    Targets: v.array(v.object({ Arn: v.string(), InputTransformer: v.optional(InputSchema) })),
  }).flatMap(({ properties: { EventPattern, State, Targets } }) => {
    if (EventPattern === undefined || State !== 'ENABLED') return [];
    const targets = Targets.map(({ Arn, InputTransformer: input }) => ({ arn: Arn, input: input ?? null }));
    return [{ pattern: EventPattern, targets }];
  });
}
