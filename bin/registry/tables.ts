/** A table of the registry: what a file of every platform's folder exports under one name. */
export interface RegistryTable {
  /** File in the platform's folder. */
  file: string;
  /** Name of the export in that file. */
  exported: string;
  /** Name of the table in the registry. */
  table: string;
  type: string;
  /** Module of the type, relative to `shared/platforms/`. */
  module: string;
  /** Whether every platform must have the file. */
  required: boolean;
  doc: string;
}

export const REGISTRY: readonly RegistryTable[] = [
  {
    file: 'basics.ts',
    exported: 'basics',
    table: 'BASICS',
    type: 'PlatformBasics',
    module: './contract/basics.ts',
    required: true,
    doc: 'Names, caps and durations of every platform.',
  },
  {
    file: 'rules.ts',
    exported: 'rules',
    table: 'RULES',
    type: 'PlatformRules',
    module: './contract/rules.ts',
    required: true,
    doc: 'Post types, limits and options of every platform.',
  },
  {
    file: 'style.ts',
    exported: 'style',
    table: 'STYLES',
    type: 'PlatformStyle',
    module: './contract/style.ts',
    required: false,
    doc: 'Platforms that the AI endpoints write for.',
  },
  {
    file: 'connect.ts',
    exported: 'connector',
    table: 'CONNECTORS',
    type: 'Connector',
    module: './contract/connector.ts',
    required: false,
    doc: 'Platforms that accounts can be connected to.',
  },
  {
    file: 'insights.ts',
    exported: 'insights',
    table: 'INSIGHTS',
    type: 'InsightsReader',
    module: './contract/insights.ts',
    required: false,
    doc: 'Platforms whose API returns metrics of posts.',
  },
  {
    file: 'lookups.ts',
    exported: 'lookups',
    table: 'LOOKUPS',
    type: 'PlatformLookups',
    module: './contract/lookups.ts',
    required: false,
    doc: 'Platforms with routes of their own below `/integrations/{platform}`.',
  },
  {
    file: 'quota.ts',
    exported: 'quota',
    table: 'QUOTAS',
    type: 'PlatformQuota',
    module: './contract/quota.ts',
    required: false,
    doc: 'Platforms with published quotas.',
  },
  {
    file: 'live.ts',
    exported: 'live',
    table: 'LIVE',
    type: 'LivePlatform',
    module: './contract/live.ts',
    required: false,
    doc: 'Platforms that live broadcasts can be sent to.',
  },
];

/** A table of functions that load what the file exports: each function of AWS serves one platform, with the same bundle. */
export const PUBLISHERS: RegistryTable = {
  file: 'publish.ts',
  exported: 'publisher',
  table: 'PUBLISHERS',
  type: 'Publisher',
  module: './contract/publisher.ts',
  required: false,
  doc: 'Loads the publishers of the platforms that can be published to. Posts to other platforms fail at delivery.',
};

/** A list of the platforms of that table, for functions that must not contain publishers. */
export const PUBLISHED_PLATFORMS = {
  name: 'PUBLISHED_PLATFORMS',
  doc: 'Platforms that can be published to: the keys of PUBLISHERS.',
};

export const SANDBOXES: readonly RegistryTable[] = [
  {
    file: 'sandbox/server.ts',
    exported: 'sandbox',
    table: 'SANDBOXES',
    type: 'SandboxDefinition',
    module: './contract/sandbox.ts',
    required: false,
    doc: 'Platforms that the sandbox plays.',
  },
];
