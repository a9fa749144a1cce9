import * as v from 'valibot';
import { pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { bookedSlots } from '../../shared/queue/calendar.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { getQueue } from '../../shared/store/queue.ts';
import { slotRecord, SlotRecord } from './record.ts';

export const preview = route({
  method: 'GET',
  path: '/queue/preview',
  operation_id: 'listQueueSlots',
  summary: 'List the next slots of a profile and the posts in them',
  tag: 'Queue',
  auth: 'key',
  plan: QUEUE_PLAN,
  query: { profile_name: profileNameField, limit: v.optional(pageQuery.limit.wrapped, '10') },
  responses: {
    200: {
      description: 'The upcoming slots, free or not',
      schema: v.pipe(
        v.object({ profile_name: v.string(), timezone: v.string(), slots: v.array(SlotRecord) }),
        v.title('QueuePreview'),
      ),
    },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal }, services) => {
    const profile = await requireProfileByName(services, principal, query.profile_name);
    const queue = await getQueue(services.table, profile.workspace_id, profile.id);
    const { timezone } = queue.settings;
    const slots = bookedSlots(queue, services.now());
    const shown = Array.from({ length: query.limit }, () => slots.next().value);
    return {
      status: 200,
      body: {
        profile_name: profile.profile_name,
        timezone,
        slots: shown.map(slot => slotRecord(slot, timezone)),
      },
    };
  },
});
