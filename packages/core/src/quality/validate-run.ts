import type { Run } from '../skill/sidecar.ts';
import type { CheckedFile } from './skill-folder.ts';

/** A mistake in what a sidecar says of running. */
export interface RunIssue {
  /** From the document's top: `['run', 'entry']`. */
  path: readonly string[];
  message: string;
}

/** Checks a well-formed `run` against the folder's files and the runtime that it names. */
export function validateRun(
  run: Run,
  files: readonly CheckedFile[],
): { errors: RunIssue[]; warnings: RunIssue[] } {
  return {
    errors: [
      ...entryFlaws(run, files).map((message) => ({ path: ['run', 'entry'], message })),
      ...workspaceIssues(run),
      ...schemaIssues(run),
    ],
    warnings: schemaDoubts(run),
  };
}

function entryFlaws({ runtime, entry }: Run, files: readonly CheckedFile[]): string[] {
  const file = files.find(({ path }) => path === entry.replace(/^(\.\/)+/, ''));
  if (file === undefined) return [`there is no file ${entry} in this folder`];
  if (file.leavesFolder) return [`${entry} is a link that leaves the folder`];
  if (file.leadsToHidden === true)
    return [`${entry} is a link to a hidden file, which is not part of the skill`];
  return runtime === 'wasm' ? wasmEntryFlaws(file, files) : [];
}

/** A host process gets the files themselves, and only what it knows by its ending. */
function wasmEntryFlaws({ path, isLink, noModule }: CheckedFile, files: readonly CheckedFile[]): string[] {
  if (!/\.(wasm|m?js)$/.test(path)) {
    return [`runtime wasm runs a .wasm, .js or .mjs, and ${path} is none by its name`];
  }
  if (isLink) return [`${path} is a link; runtime wasm runs files, so put the file itself there`];
  if (path.endsWith('.wasm')) return noModule === undefined ? [] : [`${path} ${noModule}`];
  return files
    .filter((file) => file.isLink && /\.(m?js|json)$/.test(file.path))
    .map((file) => `${file.path} comes with it and is a link; put the file itself there`);
}

function workspaceIssues({ runtime, capabilities: { filesystem } }: Run): RunIssue[] {
  if (runtime !== 'wasm') return [];
  return (['read', 'write'] as const)
    .filter((right) => filesystem[right].includes('workspace'))
    .map((right) => ({
      path: ['run', 'capabilities', 'filesystem', right],
      message: 'skills with runtime wasm have no workspace; take it out',
    }));
}

function schemaIssues(run: Run): RunIssue[] {
  return (['input', 'output'] as const)
    .filter((key) => typeof run[key] === 'boolean')
    .map((key) => ({
      path: ['run', key],
      message: 'write a schema as a mapping; to accept anything, take it out',
    }));
}

function schemaDoubts({ protocol, input, output }: Run): RunIssue[] {
  if (protocol === 'command') {
    const unused = Object.entries({ input, output }).filter(([, schema]) => schema !== undefined);
    return unused.map(([key]) => ({
      path: ['run', key],
      message: 'protocol command has no JSON, so this schema is never used',
    }));
  }
  const doubt = (message: string): RunIssue[] => [{ path: ['run', 'input'], message }];
  if (input === undefined) {
    return doubt('without a schema no caller can know what to send, and nothing is checked');
  }
  return typeof input === 'object' && input['type'] !== 'object'
    ? doubt('agents can only call tools whose input has type: object')
    : [];
}
