import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { listWebhooks } from '../store/webhooks.ts';

/**
 * Returns whether a webhook of the workspace is active. The read is consistent: a webhook that is registered before an event
 * gets it. Where the webhooks cannot be read, returns true: events that nobody receives do no harm.
 */
export async function isListening({ table }: Pick<Services, 'table'>, workspaceId: string): Promise<boolean> {
  try {
    const webhooks = await listWebhooks(table, workspaceId);
    return webhooks.some(({ active }) => active);
  } catch (error) {
    log.warn('Could not read the webhooks; the events are sent', {
      workspace_id: workspaceId,
      ...describeError(error),
    });
    return true;
  }
}
