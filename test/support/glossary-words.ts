/** A word that has another name in docs/glossary.md. */
export interface ForbiddenWord {
  /** Matches words of comments, documents and identifiers, which are split at case changes and underscores. */
  word: RegExp;
  /** What to write instead. */
  instead: string;
  /** Files in which the word has its ordinary meaning; paths that begin so. */
  allowed?: readonly string[];
}

export const FORBIDDEN_WORDS: readonly ForbiddenWord[] = [
  { word: /^lanes?$/, instead: 'publish queue' },
  { word: /^mishaps?$/, instead: 'fault' },
  { word: /^weather$/, instead: 'scenario' },
  { word: /^vaults?$/, instead: 'credentials, connections' },
  { word: /^workshops?$/, instead: 'media conversion' },
  { word: /^verdicts?$/, instead: 'outcome, result' },
  { word: /^owed$/, instead: 'outbox' },
  { word: /^whoever$/, instead: 'the worker, the caller' },
  { word: /^riddles?$/, instead: 'plain words' },
  { word: /^house$/, instead: 'world' },
  { word: /^(mortal|lethal)$/, instead: 'crash, crashing' },
  {
    word: /^alarms?$/,
    instead: 'schedule; an alarm is a CloudWatch alarm',
    allowed: [
      'lib/observability.ts',
      'bin/admin/',
      'bin/deploy/',
      'lib/alarms.test.ts',
      'lib/outputs.ts',
      'test/docs/runbook.test.ts',
      'lib/operations.test.ts',
      'test/bench/prices.ts',
      'test/support/idle-cost.ts',
      'lib/service-stack',
      'lib/social-publishing',
      'lib/settings.ts',
      'lib/publishing.ts',
      'docs/',
      'README.md',
      'CHANGELOG.md',
      'shared/aws/env.ts',
      'shared/runtime/metrics.ts',
      'functions/sweeper',
      'test/support/template.ts',
      'local/template/resolve.test.ts',
    ],
  },
];

/** Files that name the words themselves. */
export const EXEMPT = ['docs/glossary.md', 'test/support/glossary-words.ts', 'test/docs/glossary.test.ts'];
