import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** The floors of the house: a folder imports from its own floor's list and from everything below, never upwards. */
const FLOORS = [
  ['shared/model', 'shared/text', 'shared/time', 'shared/net', 'shared/aws'],
  ['shared/platforms', 'shared/store'],
  [
    'shared/ai',
    'shared/caps',
    'shared/connections',
    'shared/delivery',
    'shared/events',
    'shared/housekeeping',
    'shared/http',
    'shared/insights',
    'shared/media',
    'shared/posts',
    'shared/profiles',
    'shared/queue',
    'shared/runtime',
  ],
  ['functions'],
  ['lib', 'local'],
  ['bin'],
];

const upwards = FLOORS.flatMap((folders, floor) =>
  FLOORS.slice(floor + 1)
    .flat()
    .flatMap(above =>
      folders.map(below => ({
        target: `./${below}`,
        from: `./${above}`,
        message: `Imports go down the floors only: ${below} stands below ${above}.`,
      })),
    ),
);

const sandboxes = {
  target: ['./shared', './functions', './lib', './bin'],
  from: './shared/platforms/*/sandbox/**',
  message: 'A sandbox is a test double: only local/ and tests load it.',
};

/** Rules between neighbours: what a floor map alone cannot say. */
const neighbours = [
  { target: './shared/platforms', from: './shared/store', message: 'A platform knows no table.' },
  { target: './shared/store', from: './shared/platforms', message: 'The store knows no platform.' },
];

export default tseslint.config(
  {
    ignores: ['node_modules', 'dist', 'cdk.out', 'coverage', '.local', 'test/pds/node_modules', 'lib/layers'],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.js'] } } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver': { node: { extensions: ['.ts', '.js', '.mjs'] } } },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: [...upwards, ...neighbours, sandboxes] }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      'no-console': 'error',
    },
  },
  { files: ['bin/**', 'local/**', 'test/**'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.test.ts', 'test/**', 'shared/platforms/*/sandbox/**', '**/*.mjs', '*.js'],
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: [...upwards, ...neighbours] }],
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Answers of the API are plain JSON there, read by name: a wrong name fails the test.
    files: [
      'test/e2e/**',
      'test/faults/**',
      'test/support/{ai-server,served-api,e2e,lethal,stack}.ts',
      'local/stack.test.ts',
      'shared/ai/*.test.ts',
      'shared/http/*.test.ts',
      'functions/**/*.test.ts',
    ],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
    },
  },
  { files: ['**/*.js', '**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
