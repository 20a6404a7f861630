import { Scope } from '@ambit/api';
import type { Argument, Command, Option } from 'commander';
import { logLevels } from '../../config/file/plain-values.ts';

/** Stored values that completion looks up. */
export type StoredKind =
  | 'skill'
  | 'installed'
  | 'phase'
  | 'agent'
  | 'key'
  | 'execution'
  | 'workspace'
  | 'session';

/** The kind of value that an option or argument takes. `nothing`: free text, which has no completions. */
export type WantedValue =
  | { choices: readonly string[] }
  | { stored: StoredKind }
  | 'files'
  | 'folders'
  | 'nothing';

/** The value that an option takes. Options with the same name take the same value. */
export function valueOfOption({ argChoices, long, flags }: Option): WantedValue {
  if (argChoices !== undefined) return { choices: argChoices };
  return options[long ?? ''] ?? byPlaceholder[/[<[](.+?)[>\]]/.exec(flags)?.[1] ?? ''] ?? 'nothing';
}

/** The value that an argument takes. */
export function valueOfArgument(command: Command, argument: Argument): WantedValue {
  if (argument.argChoices !== undefined) return { choices: argument.argChoices };
  const name = argument.name();
  return args[`${pathOf(command)} ${name}`] ?? byPlaceholder[name] ?? 'nothing';
}

/** The words of a command without the program's name, such as `audit show`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim();
}

/** The value for a placeholder in angle brackets. */
const byPlaceholder: Readonly<Record<string, WantedValue>> = {
  file: 'files',
  'json|file': 'files',
  path: 'files',
  dir: 'folders',
  folder: 'folders',
  folders: 'folders',
  id: { stored: 'skill' },
  skill: { stored: 'skill' },
  'execution-id': { stored: 'execution' },
  call: { stored: 'execution' },
};

const options: Readonly<Record<string, WantedValue>> = {
  '--phase': { stored: 'phase' },
  '--agent': { stored: 'agent' },
  '--workspace': { stored: 'workspace' },
  '--parent': { stored: 'execution' },
  '--script': 'files',
  '--scope': { choices: Scope.options },
  '--log-level': { choices: logLevels },
};

const args: Readonly<Record<string, WantedValue>> = {
  'import from': 'files',
  'key revoke name': { stored: 'key' },
  'console revoke session': { stored: 'session' },
  'workspace list id': { stored: 'workspace' },
  'workspace put id': { stored: 'workspace' },
  'workspace get id': { stored: 'workspace' },
  'workspace remove id': { stored: 'workspace' },
  'run args': 'files',
  'skills add source': 'files',
  'skills approve skill': { stored: 'installed' },
  'skills outdated skill': { stored: 'installed' },
  'skills update skill': { stored: 'installed' },
  'skills remove skill': { stored: 'installed' },
  'skills revoke subject': { stored: 'installed' },
  'skills restore subject': { stored: 'installed' },
};
