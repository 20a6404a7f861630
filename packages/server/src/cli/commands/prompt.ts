import { resolve } from 'node:path';
import { explainText } from '@ambit/core';
import { describeIssues } from '@ambit/core/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../../config/config.ts';
import { type PromptAnswer, promptAnswer } from '../../wire/answer/prompt-answer.ts';
import { agentTargets, PromptBody } from '../../wire/prompt-body.ts';
import { CliError } from '../cli-error.ts';
import { readInput, readJson } from '../read-input.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text/printable.ts';
import { type CommandContext, collect, examples, flagsOf } from './command-context.ts';

interface PromptFlags {
  phase?: string;
  agent?: string;
  tag?: string[];
  campaign?: string;
  section?: string;
  only?: string[];
  include?: string[];
  exclude?: string[];
  budget?: number;
  system?: string;
  fallback?: string;
  iteration?: number;
  active?: string[];
  show?: 'metadata' | 'index' | 'bodies';
  plain?: boolean;
  var?: string[];
  maxTokens?: number;
  cut?: boolean;
  root?: string;
  item?: string;
  itemFolder?: string;
  for?: PromptBody['for'];
  model?: string;
  explain?: boolean;
}

/** `ambit prompt`: what an agent would be told, and why. */
export function addPrompt(program: Command, context: CommandContext): void {
  program
    .command('prompt')
    .summary('compose a prompt from the skills of a phase or an agent')
    .description(
      'Selects skills and puts them into a prompt, which goes to stdout. With --explain it shows instead what the prompt is made of: every part with its tokens and why it is there, what was left out and why, and what the agent may use.',
    )
    .option('--phase <name>', 'only skills for this phase of the work, and for every phase')
    .option('--agent <name>', "only this agent's skills, and those of anyone")
    .option('--tag <tag>', 'only skills with this tag; again for skills with another one', collect)
    .option('--campaign <name>', 'without the skills that are for other campaigns')
    .option('--section <name>', 'without the skills that are for other sections')
    .option('--only <id>', 'no skill but this one and what it requires; again for more', collect)
    .option('--include <id>', 'this skill too, whatever else is said; again for more', collect)
    .option('--exclude <id>', 'not this skill; again for more', collect)
    .option('--budget <tokens>', 'skills only as long as their bodies fit', tokens)
    .option('--system <file>', 'the prompt that skills are put into; - is stdin')
    .option('--fallback <file>', 'the prompt when nothing is composed: no system prompt and no skill')
    .option('--iteration <n>', "the turn of the agent's loop, from 1, for {{iteration}}", turn)
    .option('--active <id>', 'with the body of this selected skill; again for more', collect)
    .addOption(
      new Option('--show <what>', 'what is told of skills that are not active')
        .choices(['metadata', 'index', 'bodies'])
        .default('metadata'),
    )
    .option('--plain', 'bodies as they are, without tags')
    .option('--var <name=value>', 'a value for {{name}} in the system prompt; again for more', collect)
    .option('--max-tokens <tokens>', 'what the whole prompt may take', tokens)
    .option('--cut', 'cut what does not fit at a line, instead of leaving it out')
    .option('--root <dir>', 'gather what the skills want to know of the project in this folder')
    .option('--item <file>', 'the piece of work, as JSON, for skills that ask for it; with --root')
    .option('--item-folder <dir>', 'where artefacts of earlier phases are, within --root')
    .addOption(new Option('--for <agent>', 'print the settings of this agent').choices(agentTargets))
    .option('--model <name>', 'the model that those settings name')
    .option('--explain', 'show what the prompt is made of')
    .addHelpText(
      'after',
      examples(
        ['ambit prompt --phase implement', 'what an agent is told in this phase'],
        ['ambit prompt --phase implement --explain', 'why each part is there'],
        ['ambit prompt --show bodies --plain', 'every instruction, one after another'],
        ['ambit prompt --phase plan --for claude-code --json', 'settings to start Claude Code with'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<PromptFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const asked = await promptBody(context.terminal, flags, config.bodyLimitBytes);
      // Nothing of it lasts, so that Ctrl-C just ends the process.
      const answer = await composed(context, config, asked);
      const { settings, parts = [], leftOut = [] } = answer;
      if (print.json) print.document(answer);
      else if (asked.explain)
        print.lines(
          ...printable(explainText({ ...answer, parts, leftOut }))
            .trimEnd()
            .split('\n'),
        );
      else if (settings !== undefined) print.document(settings);
      else print.skillOutput(endedFor(context.terminal, answer.prompt));
      // An explanation has them among the rest.
      if (!print.json && !asked.explain)
        print.note(...answer.warnings.map((warning) => printable(`warning: ${warning}`)));
    });
}

async function composed(
  { actions }: CommandContext,
  config: Config,
  asked: PromptBody,
): Promise<PromptAnswer> {
  const library = await actions.connectLibrary(config);
  if (library !== undefined) return library.compose(asked);
  return promptAnswer(await actions.prompts(config).compose(asked, new AbortController().signal), asked);
}

/** A program gets the prompt as it is; on a terminal what follows begins on a line of its own. */
function endedFor({ stdout }: Terminal, prompt: string): string {
  return stdout.isTTY && !prompt.endsWith('\n') ? `${prompt}\n` : prompt;
}

function turn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write the number of the turn, 1 or more.');
}

function tokens(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a number of tokens, 0 or more.');
}

async function promptBody(terminal: Terminal, flags: PromptFlags, bytesMax: number): Promise<PromptBody> {
  const { phase, agent, campaign, section, only, include, exclude, active, model, explain } = flags;
  if ([flags.system, flags.item, flags.fallback].filter((file) => file === '-').length > 1)
    throw new CliError(
      'USAGE_INVALID',
      'stdin can be read once: give only one of --system, --item and --fallback "-"',
    );
  const given = {
    ...{ phase, agent, campaign, section, only, include, exclude, active, model, explain },
    tags: flags.tag,
    budgetTokens: flags.budget,
    systemPrompt: flags.system === undefined ? undefined : await readInput(terminal, flags.system, bytesMax),
    fallbackPrompt:
      flags.fallback === undefined ? undefined : await readInput(terminal, flags.fallback, bytesMax),
    iteration: flags.iteration,
    disclosure: flags.show,
    format: flags.plain ? 'plain' : 'xml',
    variables: flags.var && Object.fromEntries(flags.var.map(variable)),
    promptTokens: flags.maxTokens,
    cut: flags.cut ? 'at-line' : 'whole',
    context: await contextPlace(terminal, flags, bytesMax),
    for: flags.for,
  };
  const parsed = PromptBody.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new CliError('USAGE_INVALID', describeIssues(parsed.error, PromptBody, given).slice(0, 1).join());
}

function variable(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new CliError('USAGE_INVALID', `--var ${text}: write name=value`);
}

async function contextPlace(
  terminal: Terminal,
  { root, item, itemFolder }: PromptFlags,
  bytesMax: number,
): Promise<PromptBody['context']> {
  if (root === undefined) {
    if (item === undefined && itemFolder === undefined) return undefined;
    throw new CliError('USAGE_INVALID', '--item and --item-folder go with --root, the folder of the project');
  }
  return {
    root: resolve(terminal.cwd(), root),
    ...(item === undefined ? {} : { item: await readJson(terminal, item, bytesMax) }),
    ...(itemFolder === undefined ? {} : { itemFolder: resolve(terminal.cwd(), itemFolder) }),
  };
}
