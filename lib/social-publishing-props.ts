import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { PlatformId } from '../shared/model/platform.ts';

/** A DynamoDB table: what every table of the CDK has. */
export interface ExistingTable {
  readonly tableName: string;
  readonly tableArn: string;
}

/** Host name of the API, with a certificate for it in the region of the stack. */
export interface ServiceDomain {
  readonly name: string;
  readonly certificate: ICertificate;
}

/** All properties are optional. docs/deploy.md describes those that are also settings of a deployment. */
export interface SocialPublishingProps {
  /** Is used in place of a new table. It has the keys, the index and the TTL attribute of docs/construct.md. */
  readonly table?: ExistingTable | undefined;
  /** Is used in place of a new bucket. One that is imported by its name must have no policy: see docs/construct.md. */
  readonly bucket?: IBucket | undefined;
  /** Is notified of alarms, in place of a new topic. */
  readonly alarmTopic?: ITopic | undefined;
  /** Custom domain of the API. Default: the URL of API Gateway. */
  readonly domain?: ServiceDomain | undefined;
  /** Platforms that can be published to. Default: all. */
  readonly platforms?: readonly PlatformId[] | undefined;
  /** Base of links in responses and events, `https://…/v1`. Default: the URL of the API. */
  readonly publicUrl?: string | undefined;
  /** Whether CloudFront serves media; otherwise S3 does. Default: true. */
  readonly mediaCdn?: boolean | undefined;
  /** Concurrent Lambda invocations of the account. Default: 1000. */
  readonly lambdaConcurrency?: number | undefined;
  /** Page where a plan can be changed, shown when a plan does not allow a request. */
  readonly upgradeUrl?: string | undefined;
  /** Address that is subscribed to the alarms. */
  readonly alarmEmail?: string | undefined;
  /** Dollars a month of the account; `alarmEmail` is notified at 80% of it. Default: no budget. */
  readonly monthlyBudget?: number | undefined;
  /** Origins that browsers may call the API from. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Origins that a connect may return to. Default: `['none']`. */
  readonly redirectAllowlist?: readonly string[] | undefined;
  /** Who writes captions. Default: `bedrock`. */
  readonly aiProvider?: 'bedrock' | 'openai' | 'offline' | undefined;
  /** Model of the provider; required for `openai`. */
  readonly aiModel?: string | undefined;
  /** Base URL of an API that speaks OpenAI's protocol. */
  readonly aiBaseUrl?: string | undefined;
  /** Platforms whose posts are measured; `['none']` for none. Default: all that provide metrics. */
  readonly insightsPlatforms?: readonly string[] | undefined;
  /** Whether playlists can be streamed. Default: true. */
  readonly live?: boolean | undefined;
  /** Picture size of streams. Default: `720p`. */
  readonly liveSize?: '360p' | '720p' | '1080p' | undefined;
}
