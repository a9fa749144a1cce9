import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { arn } from '../template/names.ts';
import type { TaskDefinitionResource } from '../template/tasks.ts';
import {
  DescribeTasksSchema,
  ListTasksSchema,
  parseInput,
  RunTaskSchema,
  StopTaskSchema,
  type RunTaskInput,
} from './ecs-schemas.ts';
import { changeEvent, taskView, type StopCode, type Task } from './ecs-task.ts';
import type { EmitEvent } from './event-bus.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';
import { startTaskProcess } from './task-process.ts';

export interface EcsOptions {
  clusters: readonly string[];
  definitions: readonly TaskDefinitionResource[];
  /** Variables of every task in addition to those of its definition. */
  environment: (definition: TaskDefinitionResource) => Readonly<Record<string, string>>;
  clock: Clock;
  /** Receives an event when a task has stopped. */
  emit: EmitEvent;
  log: (name: string, stream: 'stdout' | 'stderr', text: string) => void;
}

export interface TaskSummary {
  id: string;
  started_by: string | null;
  /** Id of its process. */
  pid: number | null;
}

export interface Ecs {
  handle: (operation: string, body: unknown) => AwsResponse;
  /** Tasks that are not stopped. */
  running: () => TaskSummary[];
  /** Kills the process of a task; false if there is none. */
  kill: (taskId: string) => boolean;
  /** Kills all tasks and waits for their end. */
  close: () => Promise<void>;
}

/**
 * ECS on Fargate: tasks are processes of this machine, with the command and the environment of the template. The image,
 * its user, CPU and memory are ignored.
 */
export function createEcs(options: EcsOptions): Ecs {
  const { clusters, definitions, clock } = options;
  const tasks = new Map<string, Task>();

  const operations: Record<string, (body: unknown) => unknown> = {
    RunTask: body => run(parseInput(RunTaskSchema, body)),
    DescribeTasks: body => {
      const input = parseInput(DescribeTasksSchema, body);
      assertCluster(input.cluster);
      const found = input.tasks.map(each => ({ arn: each, task: find(each) }));
      return {
        tasks: found.flatMap(({ task }) => (task ? [taskView(task)] : [])),
        failures: found.flatMap(each => (each.task ? [] : [{ arn: each.arn, reason: 'MISSING' }])),
      };
    },
    StopTask: body => {
      const input = parseInput(StopTaskSchema, body);
      assertCluster(input.cluster);
      const task = find(input.task);
      if (!task) throw new AwsError('InvalidParameterException', 'The referenced task was not found.');
      requestStop(task, 'UserInitiated', input.reason ?? 'Task stopped by user');
      return { task: taskView(task) };
    },
    ListTasks: body => {
      const { cluster, startedBy, desiredStatus } = parseInput(ListTasksSchema, body);
      assertCluster(cluster);
      const listed = [...tasks.values()].filter(
        task =>
          task.desiredStatus === desiredStatus && (startedBy === undefined || task.startedBy === startedBy),
      );
      return { taskArns: listed.map(task => task.arn) };
    },
  };

  function assertCluster(name: string): string {
    const found = clusters.find(each => each === name || clusterArn(each) === name);
    if (found === undefined) throw new AwsError('ClusterNotFoundException', 'Cluster not found.');
    return found;
  }

  const find = (idOrArn: string) => tasks.get(idOrArn.slice(idOrArn.lastIndexOf('/') + 1));

  function run(input: RunTaskInput) {
    const cluster = assertCluster(input.cluster);
    const definition = definitions.find(each =>
      [each.arn, each.family, each.arn.split('/')[1]].includes(input.taskDefinition),
    );
    if (!definition) throw new AwsError('ClientException', 'TaskDefinition not found.');
    const request = JSON.stringify(input);
    const same = [...tasks.values()].find(
      task => task.token !== null && task.token === (input.clientToken ?? null),
    );
    if (same && same.request !== request) {
      const message = 'The client token was used with other parameters.';
      throw new AwsError('ConflictException', message, 400, { resourceIds: [same.arn] });
    }
    return { tasks: [taskView(same ?? start(cluster, definition, input, request))], failures: [] };
  }

  function start(cluster: string, definition: TaskDefinitionResource, input: RunTaskInput, request: string) {
    const id = randomBytes(16).toString('hex');
    const override = input.overrides.containerOverrides.find(({ name }) => name === definition.container);
    const variables = override?.environment ?? [];
    const task: Task = {
      id,
      arn: arn('ecs', `task/${cluster}/${id}`),
      clusterArn: clusterArn(cluster),
      definition,
      token: input.clientToken ?? null,
      request,
      startedBy: input.startedBy ?? null,
      group: input.group ?? `family:${definition.family}`,
      lastStatus: 'RUNNING',
      desiredStatus: 'RUNNING',
      createdAt: clock.now(),
      stoppedAt: null,
      stop: null,
      exitCode: null,
      process: startTaskProcess({
        command: override?.command ?? definition.command,
        environment: {
          ...definition.environment,
          ...options.environment(definition),
          ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
        },
        clock,
        log: (stream, text) => options.log(definition.container, stream, text),
        onEnd: exitCode => end(task, exitCode),
      }),
      ended: Promise.withResolvers<undefined>(),
    };
    tasks.set(id, task);
    return task;
  }

  function end(task: Task, exitCode: number | null): void {
    task.lastStatus = 'STOPPED';
    task.desiredStatus = 'STOPPED';
    task.stoppedAt = clock.now();
    task.exitCode = exitCode;
    task.stop ??=
      exitCode === null
        ? { code: 'TaskFailedToStart', reason: 'The process could not be started' }
        : { code: 'EssentialContainerExited', reason: 'Essential container in task exited' };
    task.ended.resolve(undefined);
    options.emit(changeEvent(task));
  }

  function requestStop(task: Task, code: StopCode, reason: string): void {
    if (task.lastStatus === 'STOPPED') return;
    task.stop ??= { code, reason };
    task.desiredStatus = 'STOPPED';
    task.process.stop(task.definition.stopTimeoutS);
  }

  const running = () => [...tasks.values()].filter(task => task.lastStatus !== 'STOPPED');
  return {
    handle: (operation, body) => {
      const operate = operations[operation];
      if (operate) return ok(operate(body));
      throw new AwsError('UnknownOperationException', `The local ECS does not support ${operation}`);
    },
    running: () =>
      running().map(({ id, startedBy, process }) => ({ id, started_by: startedBy, pid: process.pid })),
    kill: id => {
      const task = running().find(each => each.id === id);
      task?.process.kill();
      return task !== undefined;
    },
    close: async () => {
      const left = running();
      for (const task of left) task.process.kill();
      await Promise.all(left.map(task => task.ended.promise));
    },
  };
}

const clusterArn = (name: string) => arn('ecs', `cluster/${name}`);
