import { isKept } from '../media/copy-media.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { placedFiles } from './known-files.ts';
import type { FieldWarning } from './warnings.ts';

const MESSAGE =
  'The file lies elsewhere and has not been looked at: what the platforms make of it shows when the post is ' +
  'published. POST /posts/validate looks at it now';

/**
 * A word about each file of a waiting post that lies elsewhere: creating a post asks no stranger for files, so nobody
 * has looked at it. A post that goes out at once needs none: its outcome comes as soon.
 */
export function uncheckedMediaWarnings(services: Pick<Services, 'bucket'>, post: Post): FieldWarning[] {
  if (post.scheduling === 'immediate') return [];
  const files = destinationsOf(post).flatMap(({ platform }) => placedFiles(post, platform));
  const elsewhere = files.filter(({ url }) => !isKept(services, url));
  // The same file may be meant for many platforms.
  return elsewhere
    .filter(({ url }, index) => elsewhere.findIndex(other => other.url === url) === index)
    .map(({ field }) => ({ code: 'MEDIA_NOT_CHECKED', field, message: MESSAGE }));
}
