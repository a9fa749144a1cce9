/** A small, cheap model that supports tool use. */
export const DEFAULT_MODEL = 'amazon.nova-lite-v1:0';

/** Prefix of the inference profiles of a geography, by the first part of its regions' names. */
const PROFILES: Readonly<Record<string, string>> = { us: 'us', eu: 'eu', ap: 'apac' };

/**
 * Returns the id by which a region offers the default model: most offer it through an inference profile of their geography
 * only. Regions without one need the setting `aiModel`.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function defaultModelIn(region: string): string {
  const profile = region.startsWith('us-gov-') ? undefined : PROFILES[region.split('-')[0] ?? ''];
  return profile === undefined ? DEFAULT_MODEL : `${profile}.${DEFAULT_MODEL}`;
}
