import type { Destination } from '../model/destination.ts';
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

/**
 * Share of the capacity that the next delivery of a destination takes. Where the last worker has died under its lease, that
 * is all of it: a post that ends its worker must not end the deliveries beside it again and again.
 */
export const weightOf = ({ post_type }: { post_type: PostType }, destination: Destination): number =>
  isLeased(destination) ? CAPACITY : WEIGHTS[post_type];

const isLeased = (destination: Destination) =>
  destination.status === 'publishing' || (destination.status === 'published' && destination.lease !== null);
