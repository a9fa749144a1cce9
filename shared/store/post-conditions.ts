import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { DESTINATION_NAMES, POST_NAMES } from './post-names.ts';

/** Returns the parameters of a write on the condition that the post was not edited and no destination changed. */
export function ifUnchanged(post: Post) {
  const { expression, names, values } = unchangedCondition(post);
  return {
    ConditionExpression: expression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}

/** A condition expression with its names and values. */
export interface Condition {
  expression: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}

const CONDITION_NAMES = {
  '#version': POST_NAMES.version,
  '#destinations': POST_NAMES.destinations,
  '#revision': DESTINATION_NAMES.revision,
};

/** Returns the condition that the version and one destination's revision are still what was read. */
export const unchangedDestination = ({ version }: Post, { platform, revision }: Destination): Condition => ({
  expression: '#version = :version AND #destinations.#platform.#revision = :revision',
  names: { ...CONDITION_NAMES, '#platform': platform },
  values: { ':version': version, ':revision': revision },
});

/** Returns the condition that the version and every destination's revision are still what was read. */
export function unchangedCondition(post: Post): Condition {
  const destinations = Object.values(post.destinations);
  const revisions = destinations.map((_, index) => `#destinations.#p${index}.#revision = :r${index}`);
  return {
    expression: ['#version = :version', ...revisions].join(' AND '),
    names: {
      ...CONDITION_NAMES,
      ...Object.fromEntries(destinations.map(({ platform }, index) => [`#p${index}`, platform])),
    },
    values: {
      ':version': post.version,
      ...Object.fromEntries(destinations.map(({ revision }, index) => [`:r${index}`, revision])),
    },
  };
}
