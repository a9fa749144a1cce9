import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { PLATFORM_IDS, PlatformIdSchema, readPlatformId } from '../../shared/model/platform.ts';
import { WeekdaySchema } from '../../shared/model/queue.ts';
import { WarningView } from '../../shared/posts/present/warning-view.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { toIso } from '../../shared/time/instant.ts';

const splitNames = (text: string) =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');

const platformsField = v.pipe(
  v.string(),
  v.check(
    text => splitNames(text).length > 0 && splitNames(text).every(name => readPlatformId(name) !== null),
    `Must be a comma-separated list of: ${PLATFORM_IDS.join(', ')}`,
  ),
  v.transform(text => [...new Set(splitNames(text).flatMap(name => readPlatformId(name) ?? []))]),
);

const count = v.pipe(v.number(), v.integer());
const hour = {
  weekday: WeekdaySchema,
  hour: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(23)),
};

const BestTimesView = v.pipe(
  v.object({
    profile_name: v.string(),
    platforms: v.array(PlatformIdSchema),
    timezone: v.string(),
    window_days: count,
    measured_posts: count,
    is_default: v.pipe(
      v.boolean(),
      v.description('True when too few posts have metrics and the default grid is used'),
    ),
    best: v.array(v.object(hour)),
    next_best_time: v.pipe(v.string(), v.isoTimestamp()),
    grid: v.array(v.object({ ...hour, engagement: v.nullable(v.number()), samples: count })),
    warnings: v.array(WarningView),
  }),
  v.title('BestTimes'),
);

export const bestTimes = route({
  method: 'GET',
  path: '/analytics/best-times',
  operation_id: 'getBestTimes',
  summary: 'Get the best times to post',
  description:
    "Mean of likes + comments + shares by weekday and hour, in the time zone of the profile's queue, over the posts of the last 90 days. With fewer than 10 measured posts the default grid is used and a warning says so.",
  tag: 'Analytics',
  auth: 'key',
  query: {
    profile_name: profileNameField,
    platforms: v.optional(platformsField),
  },
  responses: {
    200: { description: 'Every hour of the week', schema: BestTimesView },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal }, services) => {
    const profile = await requireProfileByName(services, principal, query.profile_name);
    const owner = { workspace_id: profile.workspace_id, profile_id: profile.id };
    const platforms = query.platforms ?? PLATFORM_IDS;
    // The only route that needs the library of time zones.
    const { defaultGridWarnings, findBestTime } = await import('../../shared/insights/best-time.ts');
    const best = await findBestTime(services, owner, platforms);
    return {
      status: 200,
      body: {
        profile_name: profile.profile_name,
        platforms,
        timezone: best.timezone,
        window_days: best.window_days,
        measured_posts: best.measured_posts,
        is_default: best.is_default,
        best: best.best.map(cell => ({ weekday: cell.weekday, hour: cell.hour })),
        next_best_time: toIso(best.next_at),
        grid: [...best.grid],
        warnings: defaultGridWarnings(best),
      },
    };
  },
});
