import { type Command, globalOptions, longOf, nameOf, type OptionSpec } from '../command/define-command.ts';
import { type Completes, completesOf, type StoredKind } from '../command/value-spec.ts';
import { printableLine } from '../output/printable.ts';

/** A word that fits at the cursor, with a short description; empty if the word explains itself. */
export interface Candidate {
  value: string;
  about: string;
}

/** The words that fit at the cursor, and whether the shell adds files or folders. */
export interface Completions {
  shellAdds: 'files' | 'folders' | 'nothing';
  candidates: readonly Candidate[];
}

/**
 * Completes `word` at the cursor. `words` are the words before it, without the program's name. Invalid words are ignored: the
 * command itself reports them. `lookUp` finds stored values, such as the names of skills.
 */
export async function completions(
  commands: readonly Command[],
  words: readonly string[],
  word: string,
  lookUp: (kind: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  const { path, operands, pending, afterDashes } = parseWords(commands, words);
  if (pending !== undefined) return ofValue(completesOf(pending, pending.value ?? ''), lookUp);
  const [, name = ''] = (!afterDashes && /^(--[^=]+)=.*$/s.exec(word)) || [];
  if (name !== '') {
    const spec = optionsOf(commands, path).get(name);
    if (spec?.value === undefined) return nothing;
    const { candidates } = await ofValue(completesOf(spec, spec.value), lookUp);
    return {
      shellAdds: 'nothing',
      candidates: candidates.map((each) => ({ ...each, value: `${name}=${each.value}` })),
    };
  }
  if (word.startsWith('-') && !afterDashes) {
    const options = [...optionsOf(commands, path)];
    return { shellAdds: 'nothing', candidates: options.map(([value, { text }]) => ({ value, about: text })) };
  }
  const below = operands === 0 && !afterDashes ? commandsBelow(commands, path) : [];
  const args = Object.entries(commandAt(commands, path)?.args ?? {});
  const last = args.at(-1);
  const [key, argument] = args[operands] ?? (last?.[1].variadic ? last : []);
  const values =
    key === undefined || argument === undefined
      ? nothing
      : await ofValue(completesOf(argument, nameOf(key)), lookUp);
  return { ...values, candidates: [...below, ...values.candidates] };
}

const nothing: Completions = { shellAdds: 'nothing', candidates: [] };

function parseWords(commands: readonly Command[], words: readonly string[]) {
  let [path, operands, afterDashes] = ['', 0, false];
  let pending: OptionSpec | undefined;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (afterDashes) operands += 1;
    else if (word === '--') afterDashes = true;
    else if (word.startsWith('-')) {
      const option = optionsOf(commands, path).get(word);
      pending = option?.value === undefined ? undefined : option;
    } else {
      const below = operands === 0 ? commandAt(commands, `${path} ${word}`.trim()) : undefined;
      if (below === undefined) operands += 1;
      else path = below.name;
    }
  }
  return { path, operands, pending, afterDashes };
}

function commandAt(commands: readonly Command[], path: string): Command | undefined {
  return commands.find(({ name }) => name === path);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(' ')));
}

type TypedOption = [long: string, spec: OptionSpec];

/** The options at a command as they are typed: its own, its parents' options and the global options. */
function optionsOf(commands: readonly Command[], path: string): ReadonlyMap<string, OptionSpec> {
  const help: TypedOption = ['--help', { text: 'print this help' }];
  const version: TypedOption = ['--version', { text: 'print the version' }];
  const globals = [version, ...typed(globalOptions)];
  if (path === '') return new Map([...globals, help]);
  const found = [...typed(commandAt(commands, path)?.options), help];
  for (let above = parentOf(path); above !== ''; above = parentOf(above))
    found.push(...typed(commandAt(commands, above)?.options));
  return new Map([...found, ...globals]);
}

function typed(options: Command['options'] = {}): TypedOption[] {
  return Object.entries(options).map(([key, spec]) => [longOf(key, spec), spec]);
}

function commandsBelow(commands: readonly Command[], path: string): readonly Candidate[] {
  const below = commands.filter(({ name, hidden }) => parentOf(name) === path && !hidden);
  const candidates = below.map(({ name, summary }) => ({
    value: name.split(' ').at(-1) ?? '',
    about: summary,
  }));
  // A command that runs takes the word "help" as an argument.
  if (below.length === 0 || commandAt(commands, path)?.run !== undefined) return candidates;
  return [...candidates, { value: 'help', about: 'print the help of a command' }];
}

async function ofValue(
  completes: Completes,
  lookUp: (kind: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  if (completes === 'files' || completes === 'folders') return { shellAdds: completes, candidates: [] };
  if (completes === 'nothing') return nothing;
  const candidates =
    typeof completes === 'string'
      ? await lookUp(completes)
      : completes.map((value) => ({ value, about: '' }));
  return { shellAdds: 'nothing', candidates: candidates.filter(canBeTyped).map(onOneLine) };
}

/** Folder names are untrusted: they may contain line feeds or characters that control the terminal. */
function canBeTyped({ value }: Candidate): boolean {
  return value !== '' && !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
}

const aboutMax = 70;

function onOneLine({ value, about }: Candidate): Candidate {
  const text = printableLine(about);
  return { value, about: text.length <= aboutMax ? text : `${text.slice(0, aboutMax - 1).trimEnd()}…` };
}
