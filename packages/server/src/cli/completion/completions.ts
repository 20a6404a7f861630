import type { Command, Option } from 'commander';
import { printableLine } from '../output/printable.ts';
import { type StoredKind, valueOfArgument, valueOfOption, type WantedValue } from './wanted-value.ts';

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
  program: Command,
  words: readonly string[],
  word: string,
  lookUp: (kind: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  const { command, operands, pending, afterDashes } = parseWords(program, words);
  if (pending !== undefined) return ofValue(valueOfOption(pending), lookUp);
  const [, name] = (!afterDashes && /^(--[^=]+)=.*$/s.exec(word)) || [];
  if (name !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === name);
    if (option === undefined || !takesValue(option)) return nothing;
    const { candidates } = await ofValue(valueOfOption(option), lookUp);
    return {
      shellAdds: 'nothing',
      candidates: candidates.map((each) => ({ ...each, value: `${name}=${each.value}` })),
    };
  }
  if (word.startsWith('-') && !afterDashes) return { shellAdds: 'nothing', candidates: ofOptions(command) };

  const subcommands = operands === 0 && !afterDashes ? ofCommands(command) : [];
  const argument = command.registeredArguments[operands] ?? lastVariadic(command);
  const values = argument === undefined ? nothing : await ofValue(valueOfArgument(command, argument), lookUp);
  return { ...values, candidates: [...subcommands, ...values.candidates] };
}

const nothing: Completions = { shellAdds: 'nothing', candidates: [] };

function parseWords(program: Command, words: readonly string[]) {
  let [command, operands, afterDashes] = [program, 0, false];
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (afterDashes) operands += 1;
    else if (word === '--') afterDashes = true;
    else if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
      pending = option !== undefined && takesValue(option) ? option : undefined;
    } else {
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) operands += 1;
      else command = next;
    }
  }
  return { command, operands, pending, afterDashes };
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function lastVariadic({ registeredArguments }: Command): Command['registeredArguments'][number] | undefined {
  const last = registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function ofOptions(command: Command): readonly Candidate[] {
  return optionsOf(command).map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    about: description,
  }));
}

function ofCommands(command: Command): readonly Candidate[] {
  if (command.commands.length === 0) return [];
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), about: each.summary() || each.description() }));
}

async function ofValue(
  wanted: WantedValue,
  lookUp: (kind: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  if (wanted === 'files' || wanted === 'folders') return { shellAdds: wanted, candidates: [] };
  if (wanted === 'nothing') return nothing;
  const candidates =
    'choices' in wanted ? wanted.choices.map((value) => ({ value, about: '' })) : await lookUp(wanted.stored);
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
