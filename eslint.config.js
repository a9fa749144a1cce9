import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
// Folders by floor, lowest first.
import FLOORS from './floors.json' with { type: 'json' };

const upwards = FLOORS.flatMap((folders, floor) =>
  FLOORS.slice(floor + 1)
    .flat()
    .flatMap(above =>
      folders.map(below => ({
        target: `./${below}`,
        from: `./${above}`,
        message: `Import from the same floor or below only: ${above} is above ${below} (floors.json).`,
      })),
    ),
);

const sandboxes = {
  target: ['./shared', './functions', './workers', './lib', './bin'],
  from: './shared/platforms/**/sandbox/**',
  message: 'Only local/ and tests may import a sandbox.',
};

/** Rules between folders of one floor. */
const neighbours = [
  { target: './shared/platforms', from: './shared/store', message: 'Platforms must not use the store.' },
  { target: './shared/store', from: './shared/platforms', message: 'The store must not use platforms.' },
];

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'dist',
      'cdk.out',
      'coverage',
      '.local',
      'test/pds/node_modules',
      'lib/layers',
      // Compiles only in the copy of the project that test/platforms/thirteenth.test.ts makes.
      'test/support/thirteenth',
    ],
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
      // `import { type T }` would still load the module.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      // `const { secret, ...shown } = item` leaves a field out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  { files: ['bin/**', 'local/**', 'test/**'], rules: { 'no-console': 'off' } },
  {
    files: ['shared/**', 'functions/**'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ImportExpression > Literal[value=/^(?!\\.|sharp$)/]',
          message: 'Import a file of the project: in a bundle, a package of CommonJS has no named exports.',
        },
      ],
    },
  },
  {
    files: [
      '**/*.test.ts',
      'test/**',
      'shared/platforms/**/sandbox/**',
      'shared/platforms/registry/sandboxes.ts',
      '**/*.mjs',
      '*.js',
    ],
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: [...upwards, ...neighbours] }],
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Responses of the API are untyped JSON in these tests: a wrong member name fails the test.
    files: [
      'test/e2e/**',
      'test/faults/**',
      'test/platforms/**',
      'test/support/{ai-server,served-api,e2e,request-faults,stack}.ts',
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
