import { assertCreator } from '../../shared/http/access.ts';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import type { QueueSettings } from '../../shared/model/queue.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { changeQueueSettings, getQueue } from '../../shared/store/queue.ts';
import { settingsFields } from './fields.ts';
import { settingsResponse, SettingsResponse } from './record.ts';

export const changeSettings = route({
  method: 'POST',
  path: '/queue/settings',
  operation_id: 'updateQueueSettings',
  summary: 'Change the queue settings of a profile',
  description:
    'Omitted settings keep their value; `slots` replaces the whole list. Slots are local times in the time zone. When clocks go forward, a skipped time moves to the next existing one; when they go back, a time that occurs twice is used the first time. Posts that are in a slot keep it.',
  tag: 'Queue',
  auth: 'key',
  access: 'creator',
  plan: QUEUE_PLAN,
  // Ignoring one of these would publish posts at other times.
  refuses_unknown: /zone|tz|slot|time|hour|day|post/i,
  body: { profile_name: profileNameField, ...settingsFields },
  body_example: {
    profile_name: 'Acme Coffee',
    timezone: 'America/New_York',
    slots: [{ time: '08:30', days: ['mon', 'wed', 'fri'] }, { time: '18:00' }],
    posts_per_slot: 1,
  },
  responses: {
    200: { description: 'The settings after the change', schema: SettingsResponse },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body: { profile_name, timezone, slots, posts_per_slot }, principal }, services) => {
    const profile = await requireProfileByName(services, principal, profile_name);
    assertCreator(principal, profile.created_by, 'profiles');
    const changes: Partial<QueueSettings> = {
      ...(timezone == null ? {} : { timezone }),
      ...(slots == null ? {} : { slots }),
      ...(posts_per_slot == null ? {} : { posts_per_slot }),
    };
    const isChange = Object.keys(changes).length > 0;
    const settings = isChange
      ? await changeQueueSettings(services.table, profile.workspace_id, profile.id, changes)
      : (await getQueue(services.table, profile.workspace_id, profile.id)).settings;
    return { status: 200, body: settingsResponse(profile.profile_name, settings) };
  },
});
