import { nearest } from '../skill/issues.ts';
import { isPython, isScript, type Run } from '../skill/run.ts';
import type { CheckedFile, CheckedModule } from './skill-folder.ts';
import type { RunIssue } from './skill-issue.ts';

/**
 * Checks that a host process can run the entry: it gets the files themselves, and recognizes them
 * by extension.
 */
export function wasmEntryFlaws(
  run: Run,
  { path, isLink, noModule }: CheckedFile,
  files: readonly CheckedFile[],
): string[] {
  if (!isPython(run) && !/\.(wasm|m?js)$/.test(path)) {
    return [
      `runtime wasm runs .wasm, .js, .mjs and .py files, not ${path}; for Python without .py, add interpreter: python`,
    ];
  }
  if (isLink) return [`${path} is a link, which runtime wasm does not follow; replace it with the file`];
  if (path.endsWith('.wasm')) return noModule === undefined ? [] : [`${path} ${noModule}`];
  if (isPython(run)) return [];
  return files
    .filter((file) => file.isLink && /\.(m?js|json)$/.test(file.path))
    .map((file) => `${file.path} is part of it and is a link; replace it with the file`);
}

/** Checks that a module exports what is called, and that it suits the rest of its `run`. */
export function moduleIssues(run: Run, entry: CheckedFile | undefined): RunIssue[] {
  if (run.runtime !== 'wasm' || entry === undefined) return [];
  const { module } = entry;
  if (isScript(run)) return commandIssues(run, 'a script');
  if (module === undefined) return [];
  const isCommand = module.hasStart && !module.isPlugin;
  return [...exportIssues(run, module), ...(isCommand ? [] : commandIssues(run, 'a plug-in'))];
}

function commandIssues({ protocol, capabilities: { filesystem } }: Run, what: string): RunIssue[] {
  const issues: RunIssue[] = [];
  if (protocol === 'command') {
    const message = `${what} takes and gives JSON; protocol command is for WASI commands`;
    issues.push({ path: ['run', 'protocol'], message });
  }
  for (const right of ['read', 'write'] as const) {
    if (!filesystem[right].includes('workspace')) continue;
    const path = ['run', 'capabilities', 'filesystem', right];
    issues.push({ path, message: `${what} has no workspace; remove this, or build it as a WASI command` });
  }
  return issues;
}

function exportIssues(run: Run & { runtime: 'wasm' }, module: CheckedModule): RunIssue[] {
  const named = run.function === undefined ? 'entry' : 'function';
  const message = whyNotCallable(run.entry, run.function, module);
  return message === undefined ? [] : [{ path: ['run', named], message }];
}

const namesMax = 20;

function whyNotCallable(
  entry: string,
  named: string | undefined,
  { isPlugin, hasStart, functions }: CheckedModule,
): string | undefined {
  if (hasStart && !isPlugin) {
    return named === undefined
      ? undefined
      : `${entry} is a WASI command, which starts at _start; remove this`;
  }
  const called = named ?? 'run';
  if (functions.includes(called)) return undefined;
  if (functions.length === 0) return `${entry} exports no function that could be called`;
  const near = nearest(called, functions);
  const listed = functions.slice(0, namesMax).join(', ');
  const more = functions.length > namesMax ? `, and ${functions.length - namesMax} more` : '';
  const hint = near === undefined ? 'name one of them with run.function' : `did you mean ${near}?`;
  return `${entry} does not export ${called}; it exports ${listed}${more}: ${hint}`;
}
