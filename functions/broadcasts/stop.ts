import * as v from 'valibot';
import { wakeNow } from '../../shared/broadcasts/messages.ts';
import { requestStop } from '../../shared/broadcasts/stop.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { BROADCAST_STATUSES, type BroadcastStatus } from '../../shared/model/broadcast.ts';

export const stopBroadcast = route({
  method: 'POST',
  path: '/integrations/youtube/broadcasts/{id}/stop',
  operation_id: 'stopBroadcast',
  summary: 'Stop a live broadcast',
  description:
    'Stops the worker and completes the broadcast on YouTube, within seconds after the response. One that has not gone live yet is `stopped`, and stays on YouTube as an upcoming broadcast unless `delete_broadcast` is true.',
  tag: 'Live broadcasts',
  auth: 'key',
  params: idParam,
  body: {
    delete_broadcast: v.pipe(
      v.nullish(v.boolean(), false),
      v.description('Deletes the broadcast with its recording on YouTube, and the session'),
    ),
  },
  responses: {
    200: {
      description: 'The broadcast is over',
      schema: v.pipe(
        v.object({ status: v.picklist(BROADCAST_STATUSES), message: v.string() }),
        v.title('StoppedBroadcast'),
      ),
    },
    404: { description: 'No such broadcast' },
    409: { description: 'The broadcast is over already', codes: ['BROADCAST_NOT_STOPPABLE'] },
  },
  handler: async ({ params, body, principal, request_id }, services) => {
    const ref = { workspace_id: principal.workspace_id, id: params.id };
    const { delete_broadcast } = body;
    const stopped = await requestStop(services, ref, { delete_broadcast, request_id });
    if (stopped === null) throw notFound('Broadcast');
    if (!stopped.is_stopped) throw notStoppable(stopped.status);
    await wakeNow(services, ref);
    return {
      status: 200,
      body: { status: stopped.status, message: messageOf(stopped.status, delete_broadcast) },
    };
  },
});

const notStoppable = (status: BroadcastStatus) =>
  conflict(`The broadcast is over already: its status is ${status}`, {
    code: 'BROADCAST_NOT_STOPPABLE',
    status,
  });

function messageOf(status: BroadcastStatus, isDeleted: boolean): string {
  if (isDeleted) return 'The broadcast is being stopped and deleted';
  return status === 'completed'
    ? 'The broadcast is being stopped and transitioned to complete'
    : 'The broadcast was stopped before it went live';
}
