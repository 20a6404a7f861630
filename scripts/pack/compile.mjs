import { join } from 'node:path';
import ts from 'typescript';
import { root } from './root.mjs';

/**
 * Compiles packages to JavaScript, source maps and declarations. Does not report wrong types, because `npm run check`
 * does; throws if a declaration cannot be written. Returns the program, which knows all types.
 * @param {readonly string[]} names of folders in packages/
 * @param {string} folder what it writes has the same path from there as its source from packages/
 */
export function compile(names, folder) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    {
      ...config,
      include: names.map((name) => `packages/${name}/src`),
      exclude: ['**/*.test.ts', '**/testing'],
    },
    ts.sys,
    root,
  );
  const program = ts.createProgram(fileNames, {
    ...options,
    noEmit: false,
    noCheck: true,
    declaration: true,
    sourceMap: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, 'packages'),
    outDir: folder,
  });
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0)
    throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
  return program;
}
