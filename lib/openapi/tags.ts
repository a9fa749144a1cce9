/** The parts of the API, in the order of reading. Every route has one of these tags. */
export const TAGS: readonly { name: string; description: string }[] = [
  { name: 'Posts', description: 'Publish now or later, follow each destination, change, cancel, retry.' },
  { name: 'Queue', description: 'Slots of a profile into which posts fall by themselves.' },
  { name: 'Analytics', description: 'How posts were received, and when best to publish.' },
  { name: 'Profiles', description: 'Publishing identities; each has its connected accounts.' },
  { name: 'Connections', description: 'Connect social accounts to profiles, choose targets, disconnect.' },
  { name: 'Uploads', description: 'Bring media to the service, by body, by URL or directly to storage.' },
  { name: 'Media assets', description: 'The register of media that playlists and posts use.' },
  { name: 'Playlists', description: 'Ordered media assets for live broadcasts.' },
  { name: 'Live broadcasts', description: 'YouTube broadcasts that play a playlist.' },
  { name: 'Lookups', description: 'Lists that platforms know: categories, languages, boards, playlists.' },
  { name: 'AI', description: 'Write captions and hashtags, repurpose and improve texts.' },
  {
    name: 'Webhooks',
    description:
      'Receivers of events, and what was sent to them. The bodies of events are the schemas `PostPublishedEvent`, `PostFailedEvent`, `PostRetryEvent` and `PostTokenExpiredEvent`; `x-webhooks` of this document has all of a delivery.',
  },
  { name: 'Workspace', description: 'The plan and its use, members.' },
  { name: 'API keys', description: 'Make and revoke keys.' },
  { name: 'Description', description: 'This document.' },
];
