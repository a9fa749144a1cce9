import type { PlatformId } from '../model/platform.ts';
import { connector as blueskyConnector } from './bluesky/connect.ts';
import { insights as blueskyInsights } from './bluesky/insights.ts';
import { publisher as blueskyPublisher } from './bluesky/publish.ts';
import { rules as blueskyRules } from './bluesky/rules.ts';
import { style as blueskyStyle } from './bluesky/style.ts';
import type { Connector } from './contract/connector.ts';
import type { InsightsReader } from './contract/insights.ts';
import { rules as facebookRules } from './facebook/rules.ts';
import { style as facebookStyle } from './facebook/style.ts';
import { rules as gbpRules } from './gbp/rules.ts';
import { rules as instagramRules } from './instagram/rules.ts';
import { style as instagramStyle } from './instagram/style.ts';
import { rules as linkedinRules } from './linkedin/rules.ts';
import { style as linkedinStyle } from './linkedin/style.ts';
import { rules as pinterestRules } from './pinterest/rules.ts';
import { style as pinterestStyle } from './pinterest/style.ts';
import type { Publisher } from './contract/publisher.ts';
import type { PlatformQuota } from './contract/quota.ts';
import type { PlatformRules } from './contract/rules.ts';
import type { PlatformStyle } from './contract/style.ts';
import { rules as snapchatRules } from './snapchat/rules.ts';
import { connector as telegramConnector } from './telegram/connect.ts';
import { publisher as telegramPublisher } from './telegram/publish.ts';
import { rules as telegramRules } from './telegram/rules.ts';
import { rules as threadsRules } from './threads/rules.ts';
import { style as threadsStyle } from './threads/style.ts';
import { rules as tiktokRules } from './tiktok/rules.ts';
import { style as tiktokStyle } from './tiktok/style.ts';
import { connector as xConnector } from './x/connect.ts';
import { insights as xInsights } from './x/insights.ts';
import { publisher as xPublisher } from './x/publish.ts';
import { rules as xRules } from './x/rules.ts';
import { style as xStyle } from './x/style.ts';
import { quota as youtubeQuota } from './youtube/quota.ts';
import { rules as youtubeRules } from './youtube/rules.ts';
import { style as youtubeStyle } from './youtube/style.ts';

/*
 * Several tables and not one of platforms, so that a bundle carries only what its function uses: the API knows rules,
 * the connection endpoints connectors, the publishers everything.
 */

export const RULES: Readonly<Record<PlatformId, PlatformRules>> = {
  x: xRules,
  youtube: youtubeRules,
  instagram: instagramRules,
  facebook: facebookRules,
  linkedin: linkedinRules,
  tiktok: tiktokRules,
  threads: threadsRules,
  pinterest: pinterestRules,
  bluesky: blueskyRules,
  snapchat: snapchatRules,
  gbp: gbpRules,
  telegram: telegramRules,
};

/** A platform that is missing cannot be connected yet. */
export const CONNECTORS: Readonly<Partial<Record<PlatformId, Connector>>> = {
  x: xConnector,
  bluesky: blueskyConnector,
  telegram: telegramConnector,
};

/** A platform that is missing takes posts, and fails them clearly at delivery. */
export const PUBLISHERS: Readonly<Partial<Record<PlatformId, Publisher>>> = {
  x: xPublisher,
  bluesky: blueskyPublisher,
  telegram: telegramPublisher,
};

/** A platform that is missing does not tell how posts were received: Telegram's Bot API has no counts. */
export const INSIGHTS: Readonly<Partial<Record<PlatformId, InsightsReader>>> = {
  x: xInsights,
  bluesky: blueskyInsights,
};

/** The AI writers write for these platforms. */
export const STYLES: Readonly<Partial<Record<PlatformId, PlatformStyle>>> = {
  x: xStyle,
  youtube: youtubeStyle,
  instagram: instagramStyle,
  facebook: facebookStyle,
  linkedin: linkedinStyle,
  tiktok: tiktokStyle,
  threads: threadsStyle,
  pinterest: pinterestStyle,
  bluesky: blueskyStyle,
};

/** A platform that is missing states no quotas. */
export const QUOTAS: Readonly<Partial<Record<PlatformId, PlatformQuota>>> = {
  youtube: youtubeQuota,
};
