import type { Connector } from './connector.ts';
import type { Publisher } from './publisher.ts';
import type { PlatformRules } from './rules.ts';

/** A platform: what it allows, how an account is connected, how a post is published. One folder each. */
export interface Platform {
  rules: PlatformRules;
  connector: Connector;
  publisher: Publisher;
}
