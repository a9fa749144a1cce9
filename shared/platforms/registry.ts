import type { PlatformId } from '../model/platform.ts';
import { connector as blueskyConnector } from './bluesky/connect.ts';
import { publisher as blueskyPublisher } from './bluesky/publish.ts';
import { rules as blueskyRules } from './bluesky/rules.ts';
import type { Connector } from './connector.ts';
import type { Publisher } from './publisher.ts';
import type { PlatformRules } from './rules.ts';
import { connector as telegramConnector } from './telegram/connect.ts';
import { publisher as telegramPublisher } from './telegram/publish.ts';
import { rules as telegramRules } from './telegram/rules.ts';
import { connector as xConnector } from './x/connect.ts';
import { publisher as xPublisher } from './x/publish.ts';
import { rules as xRules } from './x/rules.ts';

/*
 * Three tables and not one of platforms, so that a bundle carries only what its function uses: the API knows rules,
 * the connection endpoints connectors, the publishers everything.
 */

export const RULES: Readonly<Record<PlatformId, PlatformRules>> = {
  x: xRules,
  bluesky: blueskyRules,
  telegram: telegramRules,
};

export const CONNECTORS: Readonly<Record<PlatformId, Connector>> = {
  x: xConnector,
  bluesky: blueskyConnector,
  telegram: telegramConnector,
};

export const PUBLISHERS: Readonly<Record<PlatformId, Publisher>> = {
  x: xPublisher,
  bluesky: blueskyPublisher,
  telegram: telegramPublisher,
};
