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

/** The completions of a value: stored ones, these, or paths that the shell adds. `nothing`: it is free text. */
export type Completes = StoredKind | readonly string[] | 'files' | 'folders' | 'nothing';

/** The value of an option or an argument. */
export interface ValueSpec {
  /** Its line in the help. */
  text: string;
  /** The allowed values, or a table with them as keys. */
  choices?: readonly string[] | Readonly<Record<string, unknown>>;
  /** Reads the value. Throws a `UsageError` whose message tells what to write. */
  parse?: (text: string) => unknown;
  /** Absent: its choices, or the completions of its placeholder. */
  completes?: Completes;
}

/** The type of a value in `run`. */
export type ValueOf<Spec> = Spec extends { parse: (text: string) => infer Value }
  ? Value
  : Spec extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Spec extends { choices: infer Table }
      ? keyof Table
      : string;

/** The allowed values; `undefined`: any. */
export function choicesOf({ choices }: ValueSpec): readonly string[] | undefined {
  return choices === undefined || Array.isArray(choices) ? choices : Object.keys(choices);
}

/** The completions of a value with this placeholder. */
export function completesOf(spec: ValueSpec, placeholder: string): Completes {
  return spec.completes ?? choicesOf(spec) ?? byPlaceholder[placeholder] ?? 'nothing';
}

const byPlaceholder: Readonly<Record<string, Completes>> = {
  file: 'files',
  'json|file': 'files',
  path: 'files',
  dir: 'folders',
  folder: 'folders',
  folders: 'folders',
  id: 'skill',
  skill: 'skill',
  'execution-id': 'execution',
  call: 'execution',
};
