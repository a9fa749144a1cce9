import type { Destination } from '../model/destination.ts';
import type { PostType } from '../model/platform.ts';
import { BASICS } from '../platforms/registry/basics.ts';

/**
 * What one environment of a publisher delivers at once, in the unit of the weights below. Deliveries of texts mostly wait
 * for the platform; those of media hold pictures or parts of files in memory.
 */
export const CAPACITY = 10;

/**
 * MB from which a publisher converts two pictures side by side. Mostly, one takes an environment to 350 MiB and two to 600;
 * on Bluesky, up to 496 and 791 (`npm run bench -- memory`).
 */
const TWO_PICTURES_MB = 1024;

const weightOfPicture = ({ platform }: Destination) =>
  BASICS[platform].worker.memory_mb < TWO_PICTURES_MB ? CAPACITY : CAPACITY / 2;

/**
 * Share of the capacity that the next delivery of a destination takes. Where the last worker has died under its lease, that
 * is all of it: a post that ends its worker must not end the deliveries beside it again and again.
 */
export function weightOf({ post_type }: { post_type: PostType }, destination: Destination): number {
  if (isLeased(destination)) return CAPACITY;
  if (post_type === 'text') return 1;
  return post_type === 'image' ? weightOfPicture(destination) : CAPACITY;
}

const isLeased = (destination: Destination) =>
  destination.status === 'publishing' || (destination.status === 'published' && destination.lease !== null);
