/** Native ESM without a transform: Node.js runs the TypeScript sources as they are. */
export default {
  testEnvironment: 'node',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/{shared,functions,workers,lib,local,bin,test}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/pds/'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist', '<rootDir>/.local'],
  globalSetup: '<rootDir>/test/setup/global.ts',
  globalTeardown: '<rootDir>/test/setup/teardown.ts',
  testSequencer: '<rootDir>/test/setup/sequencer.mjs',
  // One more than the processors of a small machine, since a test waits for a fifth of its time.
  maxWorkers: 3,
  // The workers and their stacks share the memory of a small machine.
  workerIdleMemoryLimit: '700MB',
  // Only a safety net: no test depends on speed, and a busy machine may be many times slower than a quiet one.
  testTimeout: 600_000,
};
