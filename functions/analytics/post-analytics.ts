import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Destination } from '../../shared/model/destination.ts';
import { MetricsSchema, type MetricsReading } from '../../shared/model/insight.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { destinationsOf } from '../../shared/model/post.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { getMetricsReadings } from '../../shared/store/insights.ts';
import { getPost } from '../../shared/store/posts.ts';
import { toIso, toIsoOrNull } from '../../shared/time/instant.ts';

const text = v.nullable(v.string());
const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()));

const PostAnalyticsView = v.pipe(
  v.object({
    post_id: v.pipe(v.string(), v.uuid()),
    destinations: v.array(
      v.object({
        platform: PlatformIdSchema,
        available: v.pipe(v.boolean(), v.description('Whether the platform reports metrics')),
        platform_post_id: text,
        platform_post_url: text,
        published_at: time,
        metrics: v.nullable(MetricsSchema),
        measured_at: time,
      }),
    ),
  }),
  v.title('PostAnalytics'),
);

export const postAnalytics = route({
  method: 'GET',
  path: '/posts/{id}/analytics',
  operation_id: 'getPostAnalytics',
  summary: 'Get the metrics of a post on each platform',
  description:
    'The latest reading. Posts are read an hour, a day and a week after publication, unless the platform has times of its own. `metrics` is null before the first reading; a number in it is null where the platform does not count it.',
  tag: 'Analytics',
  auth: 'key',
  params: idParam,
  responses: {
    200: { description: 'The latest metrics by destination', schema: PostAnalyticsView },
    404: { description: 'Post not found' },
  },
  handler: async ({ params, principal: { workspace_id } }, { table }) => {
    const post = await getPost(table, workspace_id, params.id);
    if (!post) throw notFound('Post');
    const destinations = destinationsOf(post);
    const refs = destinations.flatMap(each =>
      each.status === 'published'
        ? [{ post_id: post.post_id, platform: each.platform, published_at: each.published_at }]
        : [],
    );
    const found = await getMetricsReadings(table, workspace_id, post.profile_id, refs);
    const rows = destinations.map(each =>
      destinationView(each, found.find(({ platform }) => platform === each.platform) ?? null),
    );
    return { status: 200, body: { post_id: post.post_id, destinations: rows } };
  },
});

function destinationView(destination: Destination, reading: MetricsReading | null) {
  const published = destination.status === 'published' ? destination : null;
  return {
    platform: destination.platform,
    available: BASICS[destination.platform].reading_ages_ms !== undefined,
    platform_post_id: published?.platform_post_id ?? null,
    platform_post_url: published?.platform_post_url ?? null,
    published_at: toIsoOrNull(published?.published_at ?? null),
    metrics: reading && metricsOf(reading),
    measured_at: reading && toIso(reading.measured_at),
  };
}

const metricsOf = ({ likes, comments, shares, views }: MetricsReading) => ({
  likes,
  comments,
  shares,
  views,
});
