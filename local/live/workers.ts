import { ENV } from '../../shared/aws/env.ts';
import { createEcs, type Ecs } from '../aws/ecs.ts';
import { createEventBus } from '../aws/event-bus.ts';
import { REGION } from '../template/names.ts';
import type { Reader } from '../template/reader.ts';
import { clusters, eventRules, taskDefinitions } from '../template/tasks.ts';
import type { Template } from '../template/template.ts';
import type { LocalServices } from '../services.ts';

/**
 * The stream workers of the template. `environment`: variables of all functions and tasks in addition to the template's.
 * Decoders run as the user of this process, because another might not be allowed to read the programs.
 */
export function createWorkers(
  reader: Reader,
  template: Template,
  { clock, logs, targets }: Pick<LocalServices, 'clock' | 'logs' | 'targets'>,
  environment: Readonly<Record<string, string>>,
): Ecs {
  return createEcs({
    clusters: clusters(reader),
    definitions: taskDefinitions(reader),
    clock,
    log: logs.write,
    emit: createEventBus(eventRules(reader), targets.deliver),
    environment: definition => ({
      ...environment,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      CODE_DIR: codeFolder(definition.environment['CODE_URLS'] ?? '', template),
      [ENV.broadcastSize]: process.env[ENV.broadcastSize] ?? '360p',
      [ENV.decoderUserId]: '',
    }),
  });
}

/** The folder of the last archive, which holds the programs; npm has installed the library of this machine. */
function codeFolder(urls: string, { asset }: Template): string {
  return asset(urls.slice(urls.lastIndexOf('/') + 1));
}
