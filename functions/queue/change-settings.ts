import { route } from '../../shared/http/define-route.ts';
import type { QueueSettings } from '../../shared/model/queue.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { changeQueueSettings, getQueue } from '../../shared/store/queue.ts';
import { profileNameField, settingsFields } from './fields.ts';
import { findProfile } from './find.ts';
import { settingsAnswer, SettingsAnswer } from './view.ts';

export const changeSettings = route({
  method: 'POST',
  path: '/queue/settings',
  operation_id: 'changeQueueSettings',
  summary: 'Set the slots of a profile',
  description:
    'What is left out stays as it is; `slots` is a whole list. Slots are times of day in the time zone: where clocks go forward, a time that is skipped moves to the next that exists, and where they go back, one that comes twice is used the first time. Posts that have a place keep it.',
  tag: 'Queue',
  auth: 'key',
  plan: QUEUE_PLAN,
  body: { profile_name: profileNameField, ...settingsFields },
  body_example: {
    profile_name: 'Acme Coffee',
    timezone: 'America/New_York',
    slots: [{ time: '08:30', days: ['mon', 'wed', 'fri'] }, { time: '18:00' }],
    posts_per_slot: 1,
  },
  responses: {
    200: { description: 'All settings as they are now', schema: SettingsAnswer },
    404: { description: 'Profile not found' },
  },
  handler: async ({ body: { profile_name, timezone, slots, posts_per_slot }, principal }, services) => {
    const profile = await findProfile(services, principal, profile_name);
    const changes: Partial<QueueSettings> = {
      ...(timezone == null ? {} : { timezone }),
      ...(slots == null ? {} : { slots }),
      ...(posts_per_slot == null ? {} : { posts_per_slot }),
    };
    const isChange = Object.keys(changes).length > 0;
    const settings = isChange
      ? await changeQueueSettings(services.table, profile.workspace_id, profile.id, changes)
      : (await getQueue(services.table, profile.workspace_id, profile.id)).settings;
    return { status: 200, body: settingsAnswer(profile.profile_name, settings) };
  },
});
