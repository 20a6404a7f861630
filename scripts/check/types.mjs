// Checks the types of all code, and writes nothing. What runs in Node is one program, so that the packages and their
// dependencies are loaded once; the console, which runs in browsers, is another.
//
//   node scripts/check/types.mjs

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const host = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (/** @type {ts.Diagnostic} */ problem) => report([problem]),
};

for (const config of ['tsconfig.json', 'packages/console/tsconfig.json'])
  report(problemsOf(join(root, config)));

/**
 * The problems in the files that a configuration includes. Those files import others, which another configuration
 * includes and which are not checked twice.
 * @param {string} path of a configuration
 * @returns {readonly ts.Diagnostic[]}
 */
function problemsOf(path) {
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, host);
  if (config === undefined) return [];
  const program = ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
  });
  const included = config.fileNames.map((name) => program.getSourceFile(name));
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...included.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
}

/** @param {readonly ts.Diagnostic[]} problems */
function report(problems) {
  if (problems.length === 0) return;
  process.exitCode = 1;
  console.error(
    ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => '\n',
    }),
  );
}
