import type { Command, Option } from 'commander';
import { printableLine } from '../text/printable.ts';
import { type StoredKind, valueOfArgument, valueOfOption, type WantedValue } from './wanted-value.ts';

/** One word that can stand at the cursor, and what it is, in a few words; empty where the word says it. */
export interface Candidate {
  value: string;
  about: string;
}

/** What can stand at the cursor: words, and whether a shell adds files or folders of its own. */
export interface Completions {
  shellAdds: 'files' | 'folders' | 'nothing';
  candidates: readonly Candidate[];
}

/**
 * What can follow `words`, which stand before the cursor without the program's name, where `word` has been begun. Words that
 * cannot be there are not told of: they are for the command itself to refuse. `look` gives what is kept somewhere.
 */
export async function completions(
  program: Command,
  words: readonly string[],
  word: string,
  look: (kept: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  const { command, operands, pending, afterDashes } = walked(program, words);
  if (pending !== undefined) return ofValue(valueOfOption(pending), look);
  const [, name, begun] = (!afterDashes && /^(--[^=]+)=(.*)$/s.exec(word)) || [];
  if (name !== undefined && begun !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === name);
    if (option === undefined || !takesValue(option)) return nothing;
    const { candidates } = await ofValue(valueOfOption(option), look);
    return {
      shellAdds: 'nothing',
      candidates: candidates.map((each) => ({ ...each, value: `${name}=${each.value}` })),
    };
  }
  if (word.startsWith('-') && !afterDashes) return { shellAdds: 'nothing', candidates: ofOptions(command) };

  const subcommands = operands === 0 && !afterDashes ? ofCommands(command) : [];
  const argument = command.registeredArguments[operands] ?? lastVariadic(command);
  const values = argument === undefined ? nothing : await ofValue(valueOfArgument(command, argument), look);
  return { ...values, candidates: [...subcommands, ...values.candidates] };
}

const nothing: Completions = { shellAdds: 'nothing', candidates: [] };

function walked(program: Command, words: readonly string[]) {
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
  look: (kept: StoredKind) => Promise<readonly Candidate[]>,
): Promise<Completions> {
  if (wanted === 'files' || wanted === 'folders') return { shellAdds: wanted, candidates: [] };
  if (wanted === 'nothing') return nothing;
  const candidates =
    'choices' in wanted ? wanted.choices.map((value) => ({ value, about: '' })) : await look(wanted.kept);
  return { shellAdds: 'nothing', candidates: candidates.filter(canBeTyped).map(onOneLine) };
}

/** What a folder is called is somebody else's word, and may have a line's end in it, or what moves a terminal's cursor. */
function canBeTyped({ value }: Candidate): boolean {
  return value !== '' && !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
}

const aboutMax = 70;

function onOneLine({ value, about }: Candidate): Candidate {
  const text = printableLine(about);
  return { value, about: text.length <= aboutMax ? text : `${text.slice(0, aboutMax - 1).trimEnd()}…` };
}
