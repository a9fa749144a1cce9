/** The zone in which Google counts the days of a quota. */
export const QUOTA_ZONE = 'America/Los_Angeles';
