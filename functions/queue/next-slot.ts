import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { openSlots } from '../../shared/queue/calendar.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { getQueue } from '../../shared/store/queue.ts';
import { toIso } from '../../shared/time/instant.ts';
import { instant } from './record.ts';

export const nextSlot = route({
  method: 'GET',
  path: '/queue/next-slot',
  operation_id: 'getNextQueueSlot',
  summary: 'Find the next free slot of a profile',
  tag: 'Queue',
  auth: 'key',
  plan: QUEUE_PLAN,
  query: { profile_name: profileNameField },
  responses: {
    200: {
      description: 'The slot that a post with `add_to_queue` would get now',
      schema: v.pipe(
        v.object({ profile_name: v.string(), timezone: v.string(), next_slot: instant }),
        v.title('NextQueueSlot'),
      ),
    },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal }, services) => {
    const profile = await requireProfileByName(services, principal, query.profile_name);
    const queue = await getQueue(services.table, profile.workspace_id, profile.id);
    const { at } = openSlots(queue, services.now()).next().value;
    const { timezone } = queue.settings;
    return { status: 200, body: { profile_name: profile.profile_name, timezone, next_slot: toIso(at) } };
  },
});
