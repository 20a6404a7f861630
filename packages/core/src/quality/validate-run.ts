import type { Run } from '../skill/run.ts';
import type { CheckedFile } from './skill-folder.ts';
import type { RunIssue } from './skill-issue.ts';
import { moduleIssues, wasmEntryFlaws } from './validate-module.ts';

/** Validates a well-formed `run` against the folder's files and its runtime. */
export function validateRun(
  run: Run,
  files: readonly CheckedFile[],
): { errors: RunIssue[]; warnings: RunIssue[] } {
  return {
    errors: [
      ...entryFlaws(run, files).map((message) => ({ path: ['run', 'entry'], message })),
      ...moduleIssues(run, entryFile(run, files)),
      ...schemaIssues(run),
    ],
    warnings: schemaDoubts(run),
  };
}

function entryFile({ entry }: Run, files: readonly CheckedFile[]): CheckedFile | undefined {
  return files.find(({ path }) => path === entry.replace(/^(\.\/)+/, ''));
}

function entryFlaws(run: Run, files: readonly CheckedFile[]): string[] {
  const { runtime, entry } = run;
  const file = entryFile(run, files);
  if (file === undefined) return [`there is no file ${entry} in this folder`];
  if (file.leavesFolder) return [`${entry} is a link that leaves the folder`];
  if (file.leadsToHidden === true)
    return [`${entry} is a link to a hidden file, which is not part of the skill`];
  return runtime === 'wasm' ? wasmEntryFlaws(run, file, files) : [];
}

function schemaIssues(run: Run): RunIssue[] {
  return (['input', 'output'] as const)
    .filter((key) => typeof run[key] === 'boolean')
    .map((key) => ({
      path: ['run', key],
      message: 'write a schema as a mapping, or remove it to accept anything',
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
    return doubt('without a schema callers cannot know what to send, and no input is checked');
  }
  return typeof input === 'object' && input['type'] !== 'object'
    ? doubt('agents can only call tools whose input has type: object')
    : [];
}
