// Biome formats and lints. ESLint is here for the three rules that need types and that Biome does not catch as well.
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
    files: ['{packages,test,bench,examples}/**/*.ts', '{packages,scripts}/**/*.mjs'],
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
    },
  },
);
