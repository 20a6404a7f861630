import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { lowestNode, nodeSuffices } from '../../scripts/bootstrap/versions.mjs';
import { repository } from '../support/daemon-process.ts';

test('packages require the lowest Node, and types match its version', async () => {
  const { engines, devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const minor = /^\d+\.\d+/.exec(lowestNode)?.[0];
  expect({ engines, types: devDependencies['@types/node'], suffices: nodeSuffices(lowestNode) }).toEqual({
    engines: { node: `>=${minor}` },
    types: expect.stringMatching(`^~${minor?.replace('.', '\\.')}\\.`),
    suffices: true,
  });
});

test('types report APIs that the lowest Node lacks, and permit APIs that it has', () => {
  const imports = "import { mkdtemp, mkdtempDisposable } from 'node:fs/promises';\n";
  const absent = [
    'mkdtempDisposable',
    'AsyncDisposableStack',
    'RegExp.escape',
    'Promise.try',
    'Float16Array',
    'Error.isError',
    'document',
  ];
  const known = ['mkdtemp', 'AbortSignal.any', 'Array.fromAsync', 'Promise.withResolvers', 'Map.groupBy'];
  const unknown = unknownNames(
    `${imports}${[...absent, ...known].map((name) => `void ${name};`).join('\n')}\n`,
  );
  expect(unknown).toEqual(absent.map((name) => name.split('.').at(-1)));
});

/** The parts of a file in this folder that the compiler rejects with this repository's options. */
function unknownNames(text: string): string[] {
  const file = join(import.meta.dirname, 'checked-in-memory.ts');
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...others) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : read(name, ...others);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ start = 0, length = 0 }) => text.slice(start, start + length));
}
