import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { getQueue } from '../../shared/store/queue.ts';
import { settingsResponse, SettingsResponse } from './record.ts';

export const getSettings = route({
  method: 'GET',
  path: '/queue/settings',
  operation_id: 'getQueueSettings',
  summary: 'Read the queue settings of a profile',
  description:
    'A profile without settings has slots at 9:00, 12:00 and 17:00 UTC every day, with one post each.',
  tag: 'Queue',
  auth: 'key',
  plan: QUEUE_PLAN,
  query: { profile_name: profileNameField },
  responses: {
    200: { description: 'The settings', schema: SettingsResponse },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal }, services) => {
    const profile = await requireProfileByName(services, principal, query.profile_name);
    const { settings } = await getQueue(services.table, profile.workspace_id, profile.id);
    return { status: 200, body: settingsResponse(profile.profile_name, settings) };
  },
});
