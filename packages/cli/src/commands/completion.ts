import {
  type CommandContext,
  defineCommand,
  type GlobalFlags,
  globalOptions,
  longOf,
  type OptionSpec,
} from '../command/define-command.ts';
import { type Candidate, type Completions, completions } from '../completion/completions.ts';
import { readTypedLine, typedWord } from '../completion/shell-line.ts';
import { completeCommand, shellScripts, shells } from '../completion/shell-script.ts';
import { storedValues } from '../completion/stored-values.ts';

/** `ambit completion`, and the hidden command that the printed script calls. */
export const completionCommands = [
  defineCommand({
    name: 'completion',
    summary: 'print the completion script for a shell',
    description:
      'Print the completion script for a shell. The Tab key then completes commands, options, and the names of skills, phases, agents, keys, workspaces and calls. The script calls the ambit on the PATH.',
    args: { shell: { text: 'the shell', choices: shells } },
    examples: {
      'source <(ambit completion bash)': 'in this shell; add it to ~/.bashrc for every shell',
      'source <(ambit completion zsh)': 'in ~/.zshrc, after compinit',
      'ambit completion fish > ~/.config/fish/completions/ambit.fish': 'for fish',
    },
    run({ terminal, print }, _flags, { shell }) {
      if (print.json) print.document({ shell, script: shellScripts[shell] });
      else terminal.stdout.write(shellScripts[shell]);
    },
  }),
  defineCommand({
    name: completeCommand,
    summary: '',
    description: '',
    hidden: true,
    remote: true,
    args: {
      shell: { text: '' },
      words: { text: '', optional: true, variadic: true },
    },
    options: { breaks: { value: 'characters', text: '' } },
    async run(context, { breaks = '' }, { shell, words }) {
      try {
        const lines = await completionLines(context, shell, words, breaks);
        context.terminal.stdout.write(lines.map((line) => `${line}\n`).join(''));
      } catch {
        // Tab prints no errors. The command itself reports them when it runs.
      }
    },
  }),
];

/** The first line is what the shell adds; every other line is a word. For zsh and fish, a tab and a description follow it. */
async function completionLines(
  context: CommandContext,
  shell: string,
  words: readonly string[],
  breaks: string,
): Promise<string[]> {
  const line = shell === 'bash' ? readTypedLine(words[0] ?? '', breaks) : undefined;
  const before = shell === 'bash' ? (line?.before ?? []).slice(1) : words.slice(0, -1);
  const word = shell === 'bash' ? (line?.word ?? '') : (words.at(-1) ?? '');
  if (shell === 'bash' && line === undefined) return ['nothing'];
  const { shellAdds, candidates }: Completions = await completions(
    context.commands,
    before,
    word,
    async (kind) => {
      try {
        return await storedValues(context, await context.loadConfig(flagsIn(before)), kind);
      } catch {
        // Other candidates do not need the lookup.
        return [];
      }
    },
  );
  if (line === undefined) return [shellAdds, ...candidates.map(withAbout)];
  const fit = candidates.filter(({ value }) => value.startsWith(word));
  return [shellAdds, ...fit.flatMap(({ value }) => typedWord(value, line) ?? [])];
}

function withAbout({ value, about }: Candidate): string {
  return about === '' ? value : `${value}\t${about}`;
}

/** The global options typed so far. The line is incomplete, so it cannot be parsed as a whole. */
function flagsIn(words: readonly string[]): GlobalFlags {
  const flags: Record<string, string> = {};
  for (const [key, spec] of Object.entries<OptionSpec>(globalOptions)) {
    if (spec.value === undefined) continue;
    const long = longOf(key, spec);
    const at = words.lastIndexOf(long);
    const joined = words.findLast((word) => word.startsWith(`${long}=`))?.slice(long.length + 1);
    const value = joined ?? (at === -1 ? undefined : words[at + 1]);
    if (value !== undefined) flags[key] = value;
  }
  return flags;
}
