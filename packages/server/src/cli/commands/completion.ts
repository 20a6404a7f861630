import { Argument, type Command } from 'commander';
import { type CommandContext, examples, flagsOf, type GlobalFlags } from '../command/command-context.ts';
import { type Candidate, type Completions, completions } from '../completion/completions.ts';
import { readTypedLine, typedWord } from '../completion/shell-line.ts';
import { completeCommand, type Shell, shellScripts, shells } from '../completion/shell-script.ts';
import { storedValues } from '../completion/stored-values.ts';

/** `ambit completion`, and the hidden command that the printed script calls. */
export function addCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .summary('print the completion script for a shell')
    .description(
      'Print the completion script for a shell. The Tab key then completes commands, options, and the names of skills, phases, agents, keys, workspaces and calls. The script calls the ambit on the PATH.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      examples(
        ['source <(ambit completion bash)', 'in this shell; add it to ~/.bashrc for every shell'],
        ['source <(ambit completion zsh)', 'in ~/.zshrc, after compinit'],
        ['ambit completion fish > ~/.config/fish/completions/ambit.fish', 'for fish'],
      ),
    )
    .action((shell: Shell, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      if (print.json) print.document({ shell, script: shellScripts[shell] });
      else context.terminal.stdout.write(shellScripts[shell]);
    });
  addComplete(program, context);
}

function addComplete(program: Command, context: CommandContext): void {
  program
    .command(completeCommand, { hidden: true })
    .argument('<shell>')
    .argument('[words...]')
    .option('--breaks <characters>')
    .action(async (shell: Shell, words: string[], { breaks = '' }: { breaks?: string }) => {
      try {
        const lines = await completionLines(program, context, shell, words, breaks);
        context.terminal.stdout.write(lines.map((line) => `${line}\n`).join(''));
      } catch {
        // Tab prints no errors. The command itself reports them when it runs.
      }
    });
}

/** The first line is what the shell adds; every other line is a word. For zsh and fish, a tab and a description follow it. */
async function completionLines(
  program: Command,
  { actions }: CommandContext,
  shell: Shell,
  words: readonly string[],
  breaks: string,
): Promise<string[]> {
  const line = shell === 'bash' ? readTypedLine(words[0] ?? '', breaks) : undefined;
  const before = shell === 'bash' ? (line?.before ?? []).slice(1) : words.slice(0, -1);
  const word = shell === 'bash' ? (line?.word ?? '') : (words.at(-1) ?? '');
  if (shell === 'bash' && line === undefined) return ['nothing'];
  const { shellAdds, candidates }: Completions = await completions(program, before, word, async (kind) => {
    try {
      return await storedValues(actions, await actions.loadConfig(flagsIn(program, before)), kind);
    } catch {
      // Other candidates do not need the lookup.
      return [];
    }
  });
  if (line === undefined) return [shellAdds, ...candidates.map(withAbout)];
  const fit = candidates.filter(({ value }) => value.startsWith(word));
  return [shellAdds, ...fit.flatMap(({ value }) => typedWord(value, line) ?? [])];
}

function withAbout({ value, about }: Candidate): string {
  return about === '' ? value : `${value}\t${about}`;
}

/** The global options typed so far. The line is incomplete, so commander cannot parse it. */
function flagsIn(program: Command, words: readonly string[]): GlobalFlags {
  const flags: Record<string, string> = {};
  for (const option of program.options) {
    const { long } = option;
    if (long === undefined || !option.required) continue;
    const at = words.lastIndexOf(long);
    const joined = words.findLast((word) => word.startsWith(`${long}=`))?.slice(long.length + 1);
    const value = joined ?? (at === -1 ? undefined : words[at + 1]);
    if (value !== undefined) flags[option.attributeName()] = value;
  }
  return flags;
}
