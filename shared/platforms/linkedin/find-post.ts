import type { PublishedPost } from '../../model/destination.ts';
import type { Finding } from '../contract/publisher.ts';
import { sameText } from '../kit/same-text.ts';
import { authorOf, callerOf, mayRead, type Context, type State } from './context.ts';
import { plainText, toLittleText } from './little-text.ts';
import { listPosts, type LivePost } from './posts.ts';
import { postUrl } from './urn.ts';

/** Maximum clock skew between LinkedIn and the service. */
const CLOCK_SKEW_MS = 5000;
const PAGE = 50;
const MAX_PAGES = 10;

/** Looks for the post of a lost request among the author's posts. Those of members cannot be read: the outcome is unknown. */
export async function findPost(context: Context, state: State, intentAt: number): Promise<Finding> {
  if (!mayRead(context)) return { type: 'unknown' };
  const since = intentAt - CLOCK_SKEW_MS;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const range = { start: page * PAGE, count: PAGE };
    const posts = await listPosts(callerOf(context), authorOf(context), range);
    const candidates = posts.filter(post => createdAt(post) >= since && isSame(context, state, post));
    const finding = await ownAmong(context, state, candidates.map(listed));
    if (finding.type !== 'absent') return finding;
    // A post was modified at the earliest when it was created: what follows is older than the request.
    const isPast = posts.some(({ lastModifiedAt }) => lastModifiedAt !== null && lastModifiedAt < since);
    if (isPast || posts.length < PAGE) return { type: 'absent' };
  }
  return { type: 'unknown' };
}

/** Uploaded media belong to one post; a text or an article may be published twice. */
async function ownAmong(context: Context, { assets }: State, posts: PublishedPost[]): Promise<Finding> {
  const [first] = posts;
  return first && assets.length > 0 ? { type: 'published', post: first } : context.identify(posts);
}

const listed = (post: LivePost): PublishedPost => ({
  platform_post_id: post.id,
  platform_post_url: postUrl(post.id),
  published_at: createdAt(post),
});

const createdAt = (post: LivePost) => post.createdAt ?? post.publishedAt ?? 0;

function isSame({ job }: Context, state: State, { commentary, content }: LivePost): boolean {
  const sent = toLittleText(job.text);
  const shown = plainText(sent);
  const hasText = [sent, shown].includes(commentary) || sameText(plainText(commentary), shown);
  return hasText && contentOf(content).join() === expectedContent(state).join();
}

function contentOf({ media, multiImage, article }: LivePost['content']): string[] {
  if (article?.source !== undefined) return [article.source];
  return media ? [media.id] : (multiImage?.images.map(({ id }) => id) ?? []);
}

const expectedContent = ({ assets, article }: State) => (article ? [article.source] : assets);
