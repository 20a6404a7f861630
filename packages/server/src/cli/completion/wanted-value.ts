import type { Argument, Command, Option } from 'commander';
import { Scope } from '../../auth/scope.ts';
import { logLevels } from '../../config/config.ts';

/** What is kept somewhere and looked up when it is asked for. */
export type StoredKind = 'skill' | 'phase' | 'agent' | 'key' | 'execution' | 'workspace';

/** What can stand where a command wants a value. `nothing`: whatever its user thinks of. */
export type WantedValue =
  | { choices: readonly string[] }
  | { kept: StoredKind }
  | 'files'
  | 'folders'
  | 'nothing';

/** What an option wants for its value. Every option of one name wants the same. */
export function valueOfOption({ argChoices, long, flags }: Option): WantedValue {
  if (argChoices !== undefined) return { choices: argChoices };
  return options[long ?? ''] ?? byPlaceholder[/[<[](.+?)[>\]]/.exec(flags)?.[1] ?? ''] ?? 'nothing';
}

/** What an argument of a command wants. */
export function valueOfArgument(command: Command, argument: Argument): WantedValue {
  if (argument.argChoices !== undefined) return { choices: argument.argChoices };
  const name = argument.name();
  return args[`${pathOf(command)} ${name}`] ?? byPlaceholder[name] ?? 'nothing';
}

/** The words by which a command is called, without the program's own name: `audit show`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim();
}

/** What an angle bracket's word says by itself. */
const byPlaceholder: Readonly<Record<string, WantedValue>> = {
  file: 'files',
  'json|file': 'files',
  path: 'files',
  dir: 'folders',
  folder: 'folders',
  folders: 'folders',
  id: { kept: 'skill' },
  skill: { kept: 'skill' },
  'execution-id': { kept: 'execution' },
};

const options: Readonly<Record<string, WantedValue>> = {
  '--phase': { kept: 'phase' },
  '--agent': { kept: 'agent' },
  '--workspace': { kept: 'workspace' },
  '--parent': { kept: 'execution' },
  '--script': 'files',
  '--scope': { choices: Scope.options },
  '--log-level': { choices: logLevels },
};

const args: Readonly<Record<string, WantedValue>> = {
  'import from': 'files',
  'key revoke name': { kept: 'key' },
  'workspace list id': { kept: 'workspace' },
  'workspace put id': { kept: 'workspace' },
  'workspace get id': { kept: 'workspace' },
  'workspace remove id': { kept: 'workspace' },
  'run args': 'files',
};
