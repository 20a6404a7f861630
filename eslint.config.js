// Biome formats and lints. ESLint is here for the three rules that need types and that Biome does not catch as well, for
// what the lowest supported Node cannot read, and for literals that are spread.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      '.toolchain/',
      'skills/',
      'packages/as-sdk/',
      'packages/*-as/',
      'test/fixtures/',
    ],
  },
  {
    files: ['{packages,test,bench,examples}/**/*.{ts,tsx}', '{packages,scripts}/**/*.mjs'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      // A switch over a union either names every member or says `default: x satisfies never`.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      // Newer than Node 22.18. Newer APIs are missing from @types/node and from the lib in tsconfig.json.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'VariableDeclaration[kind=/using/]',
          message: 'Node 22 has no `using`: write try and finally.',
        },
        {
          selector: 'Literal[regex.pattern=/\\(\\?[ims]/]',
          message: 'Node 22 has no modifiers in regular expressions.',
        },
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message:
            'The compiler does not check a literal that is spread for unknown properties: write them directly.',
        },
      ],
      'no-restricted-globals': ['error', { name: 'URLPattern', message: 'Node 22 has no URLPattern.' }],
    },
  },
);
