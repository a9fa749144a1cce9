/** A table of the registry: what a file of every platform's folder exports under one name. */
export interface RegistryTable {
  /** File in the platform's folder. */
  file: string;
  /** Name of the export in that file. */
  exported: string;
  /** Name of the table. */
  table: string;
  /** File of the registry that holds the table. */
  written: string;
  type: string;
  /** Module of the type, relative to the registry. */
  module: string;
  /** Whether every platform must have the file. */
  required: boolean;
  /** The table holds functions that load what the file exports, for functions of AWS that work for one platform at a time. */
  lazy?: true;
  doc: string;
}

/** File of a platform's folder. */
const PUBLISHER_FILE = 'publish.ts';

/** Each is a module of its own, so that a bundle contains only what its function uses. */
export const TABLES: readonly RegistryTable[] = [
  {
    file: 'basics.ts',
    exported: 'basics',
    table: 'BASICS',
    written: 'basics.ts',
    type: 'PlatformBasics',
    module: '../contract/basics.ts',
    required: true,
    doc: 'Names, caps and durations of every platform.',
  },
  {
    file: 'rules.ts',
    exported: 'rules',
    table: 'RULES',
    written: 'rules.ts',
    type: 'PlatformRules',
    module: '../contract/rules.ts',
    required: true,
    doc: 'Post types, limits and options of every platform.',
  },
  {
    file: 'style.ts',
    exported: 'style',
    table: 'STYLES',
    written: 'styles.ts',
    type: 'PlatformStyle',
    module: '../contract/style.ts',
    required: false,
    doc: 'Platforms that the AI endpoints write for.',
  },
  {
    file: 'connect.ts',
    exported: 'connector',
    table: 'CONNECTORS',
    written: 'connectors.ts',
    type: 'Connector',
    module: '../contract/connector.ts',
    required: false,
    doc: 'Platforms that accounts can be connected to.',
  },
  {
    file: 'lookups.ts',
    exported: 'lookups',
    table: 'LOOKUPS',
    written: 'lookups.ts',
    type: 'PlatformLookups',
    module: '../contract/lookups.ts',
    required: false,
    doc: 'Platforms with routes of their own below `/integrations/{platform}`.',
  },
  {
    file: 'quota.ts',
    exported: 'quota',
    table: 'QUOTAS',
    written: 'quotas.ts',
    type: 'PlatformQuota',
    module: '../contract/quota.ts',
    required: false,
    doc: 'Platforms with published quotas.',
  },
  {
    file: 'sandbox/server.ts',
    exported: 'sandbox',
    table: 'SANDBOXES',
    written: 'sandboxes.ts',
    type: 'SandboxDefinition',
    module: '../contract/sandbox.ts',
    required: false,
    doc: 'Platforms that the sandbox plays.',
  },
  {
    file: 'rules.ts',
    exported: 'rules',
    table: 'LOAD_RULES',
    written: 'load-rules.ts',
    type: 'PlatformRules',
    module: '../contract/rules.ts',
    required: true,
    lazy: true,
    doc: 'Loads the post types, limits and options of a platform.',
  },
  {
    file: 'connect.ts',
    exported: 'connector',
    table: 'LOAD_CONNECTOR',
    written: 'load-connector.ts',
    type: 'Connector',
    module: '../contract/connector.ts',
    required: false,
    lazy: true,
    doc: 'Loads the connector of a platform.',
  },
  {
    file: PUBLISHER_FILE,
    exported: 'publisher',
    table: 'LOAD_PUBLISHER',
    written: 'load-publisher.ts',
    type: 'Publisher',
    module: '../contract/publisher.ts',
    required: false,
    lazy: true,
    doc: 'Loads the publisher of a platform. Posts to platforms without one fail at delivery.',
  },
  {
    file: 'insights.ts',
    exported: 'insights',
    table: 'LOAD_INSIGHTS',
    written: 'load-insights.ts',
    type: 'InsightsReader',
    module: '../contract/insights.ts',
    required: false,
    lazy: true,
    doc: 'Loads the reader of the metrics of a platform.',
  },
  {
    file: 'live.ts',
    exported: 'live',
    table: 'LOAD_LIVE',
    written: 'load-live.ts',
    type: 'LivePlatform',
    module: '../contract/live.ts',
    required: false,
    lazy: true,
    doc: 'Loads the live broadcasts of a platform.',
  },
];

/** A list of the platforms with publishers, for functions that must not contain them. */
export const PUBLISHED_PLATFORMS = {
  file: PUBLISHER_FILE,
  name: 'PUBLISHED_PLATFORMS',
  written: 'published.ts',
  doc: 'Platforms that can be published to.',
};
