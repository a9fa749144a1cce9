import * as v from 'valibot';

/** Names one worker of a broadcast. */
export interface WorkerRef {
  sessionId: string;
  workspaceId: string;
  /** `attempt` of the session: the same worker is never started twice. */
  attempt: number;
}

/** Environment variables that a worker gets. */
export const WORKER_ENV = {
  sessionId: 'SESSION_ID',
  workspaceId: 'WORKSPACE_ID',
  attempt: 'ATTEMPT',
} as const;

/** Starts and stops the tasks that stream broadcasts. Every function is safe to repeat. */
export interface WorkerTasks {
  /** Starts a worker; repeated with the same ref, it returns the same task. `no_capacity`, or a call that AWS refuses: try again later. */
  run: (worker: WorkerRef) => Promise<{ arn: string } | 'no_capacity'>;
  /** Asks a task to end itself; does nothing if it is unknown or has ended. */
  stop: (arn: string, reason: string) => Promise<void>;
  /** False once a task has ended, or is unknown. */
  isRunning: (arn: string) => Promise<boolean>;
  /** Returns the ARNs of all tasks of a session that have not ended. */
  runningOf: (sessionId: string) => Promise<string[]>;
}

/** Where no workers can be started. */
export const noTasks: WorkerTasks = {
  run: () => Promise.resolve('no_capacity'),
  stop: () => Promise.resolve(),
  isRunning: () => Promise.resolve(false),
  runningOf: () => Promise.resolve([]),
};

/** What starts workers (ENV.liveWorker, as JSON): null where the deployment has none, so that playlists cannot be streamed. */
export const WorkerSettingsSchema = v.nullable(
  v.object({
    cluster: v.string(),
    task_definition: v.string(),
    /** Name of the container that the environment variables are for. */
    container: v.string(),
    subnets: v.array(v.string()),
    security_groups: v.array(v.string()),
  }),
);
export type WorkerSettings = v.InferOutput<typeof WorkerSettingsSchema>;

/** Parses the value of ENV.liveWorker. */
export function readWorkerSettings(json: string): WorkerSettings {
  return v.parse(v.pipe(v.string(), v.parseJson(), WorkerSettingsSchema), json);
}
