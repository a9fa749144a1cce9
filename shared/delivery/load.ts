import type { PostType } from '../model/platform.ts';

/**
 * What one environment of a publisher delivers at once, in the unit of the weights below. Deliveries of texts mostly wait
 * for the platform; those of media hold pictures or parts of files in memory.
 */
export const CAPACITY = 10;

const WEIGHTS: Readonly<Record<PostType, number>> = {
  text: 1,
  image: 5,
  video: CAPACITY,
  document: CAPACITY,
};

/** Share of the capacity that a delivery of this post takes. */
export const weightOf = ({ post_type }: { post_type: PostType }): number => WEIGHTS[post_type];
