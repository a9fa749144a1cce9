import twitter from 'twitter-text';
import type { TextLink } from '../../contract/sandbox.ts';

type Entity = 'hashtag' | 'screenName' | 'cashtag';

/** Returns the URL that an entity's text (without its sign) links to. */
export type EntityTargets = Readonly<Partial<Record<Entity, (name: string) => string>>>;

const ENTITIES: readonly Entity[] = ['hashtag', 'screenName', 'cashtag'];

/** Finds URLs and the given kinds of entities in a text, for platforms that link them by themselves. */
export function findLinks(text: string, targets: EntityTargets): TextLink[] {
  return twitter.extractEntitiesWithIndices(text).flatMap(entity => {
    const [start, end] = entity.indices;
    const href = 'url' in entity ? absoluteUrl(entity.url) : entityTarget(entity, targets);
    return href === undefined ? [] : [{ start, end, href }];
  });
}

function entityTarget(entity: object, targets: EntityTargets): string | undefined {
  const values = new Map(Object.entries(entity));
  for (const kind of ENTITIES) {
    const name: unknown = values.get(kind);
    if (typeof name === 'string') return targets[kind]?.(name);
  }
  return undefined;
}

function absoluteUrl(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url}`;
}
