/** Tags of the OpenAPI document in reading order. Every route has one of them. */
export const TAGS: readonly { name: string; description: string }[] = [
  {
    name: 'Posts',
    description: 'Publish immediately or later, track each destination, edit, cancel and retry.',
  },
  { name: 'Queue', description: 'Weekly time slots of a profile that queued posts are assigned to.' },
  { name: 'Analytics', description: 'Metrics of published posts and the best times to publish.' },
  { name: 'Profiles', description: 'Publishing identities with their connected accounts.' },
  { name: 'Connections', description: 'Connect social accounts to profiles, choose targets, disconnect.' },
  { name: 'Uploads', description: 'Upload media in the request body, by URL, or directly to storage.' },
  { name: 'Media assets', description: 'Registered media that playlists and posts use.' },
  { name: 'Playlists', description: 'Ordered media assets for live broadcasts.' },
  { name: 'Live broadcasts', description: 'YouTube broadcasts that play a playlist.' },
  { name: 'Lookups', description: 'Values from the platforms: categories, languages, boards, playlists.' },
  { name: 'AI', description: 'Generate captions and hashtags, repurpose and improve texts.' },
  {
    name: 'Webhooks',
    description:
      'Register webhooks and inspect their deliveries. The event bodies are the schemas `PostPublishedEvent`, ' +
      '`PostFailedEvent`, `PostRetryEvent` and `PostTokenExpiredEvent`; `x-webhooks` of this document describes the ' +
      'whole delivery request.',
  },
  { name: 'Workspace', description: 'Plan, usage and members.' },
  { name: 'API keys', description: 'Create and revoke API keys.' },
];
