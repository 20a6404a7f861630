import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentTargets, type PromptAnswer, PromptBody } from '@ambit/api';
import { explainText } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { describeIssues } from '@ambit/core/skill';
import { folderCatalog } from '@ambit/runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultConfig } from '../../config/general-config.ts';
import { shellWord } from '../../trust/shell-word.ts';
import { promptAnswer } from '../../wire/answer/prompt.ts';
import {
  type CommandContext,
  collect,
  examples,
  flagsOf,
  type GlobalFlags,
} from '../command/command-context.ts';
import { readInput, readJson } from '../command/read-input.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../output/terminal.ts';

interface PromptFlags {
  skills?: string;
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

/** `ambit prompt`: composes a prompt and explains it. */
export function addPrompt(program: Command, context: CommandContext): void {
  program
    .command('prompt')
    .summary('compose a prompt from the skills of a phase or an agent')
    .description(
      'Compose a prompt from selected skills and print it to stdout. With --explain, print its parts instead: the tokens of each and the reason for it, what was left out and why, and the tools that the agent may use.',
    )
    .option('--skills <dir>', 'take the skills from this folder only; no configuration, no daemon')
    .option('--phase <name>', 'select the skills of this phase of work and of every phase')
    .option('--agent <name>', 'select the skills of this agent and of every agent')
    .option('--tag <tag>', 'select skills with this tag; repeatable', collect)
    .option('--campaign <name>', 'leave out skills of other campaigns')
    .option('--section <name>', 'leave out skills of other sections')
    .option('--only <id>', 'select only this skill and those it requires; repeatable', collect)
    .option('--include <id>', 'select this skill regardless of other options; repeatable', collect)
    .option('--exclude <id>', 'leave out this skill; repeatable', collect)
    .option('--budget <tokens>', 'select skills while their bodies fit into this budget', tokens)
    .option('--system <file>', 'insert the skills into this system prompt; - is stdin')
    .option('--fallback <file>', 'print this prompt if there is no system prompt and no skill')
    .option('--iteration <n>', "set {{iteration}}, the turn of the agent's loop, from 1", turn)
    .option('--active <id>', 'include the body of this selected skill; repeatable', collect)
    .addOption(
      new Option('--show <what>', 'choose what to include of the other skills')
        .choices(['metadata', 'index', 'bodies'])
        .default('metadata'),
    )
    .option('--plain', 'print bodies without tags')
    .option('--var <name=value>', 'set {{name}} in the system prompt; repeatable', collect)
    .option('--max-tokens <tokens>', 'limit the size of the whole prompt', tokens)
    .option('--cut', 'cut a part that does not fit at a line instead of leaving it out')
    .option('--root <dir>', 'gather the context that the skills ask for from this project folder')
    .option('--item <file>', 'pass the work item as JSON to skills that ask for it; needs --root')
    .option('--item-folder <dir>', 'read artifacts of earlier phases from this folder within --root')
    .addOption(new Option('--for <agent>', 'print the settings of this agent').choices(agentTargets))
    .option('--model <name>', 'set the model in those settings')
    .option('--explain', 'print the parts of the prompt and their reasons')
    .addHelpText(
      'after',
      examples(
        ['ambit prompt --phase implement', 'the prompt for this phase'],
        ['ambit prompt --phase implement --explain', 'why each part is included'],
        ['ambit prompt --skills ./skills --phase plan', 'from a folder, without a configuration'],
        ['ambit prompt --show bodies --plain', 'the instructions of every skill'],
        ['ambit prompt --phase plan --for claude-code --json', 'settings to start Claude Code with'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<PromptFlags>(context, command);
      // There is nothing to clean up, so Ctrl-C just ends the process.
      const answer =
        flags.skills === undefined
          ? await composed(context, flags)
          : await composedFrom(flags.skills, context, flags);
      const { settings, parts = [], leftOut = [] } = answer;
      if (print.json) print.document(answer);
      else if (flags.explain)
        print.lines(
          ...printable(explainText({ ...answer, parts, leftOut }))
            .trimEnd()
            .split('\n'),
        );
      else if (settings !== undefined) print.document(settings);
      else print.skillOutput(withLineEnd(context.terminal, answer.prompt));
      // The explanation includes the warnings.
      if (print.json || flags.explain) return;
      print.note(...answer.warnings.map((warning) => printable(`warning: ${warning}`)));
      if (answer.prompt === '') print.note('The prompt is empty: no skill is selected.');
    });
}

async function composed(
  { actions, terminal }: CommandContext,
  flags: PromptFlags & GlobalFlags,
): Promise<PromptAnswer> {
  const config = await actions.loadConfig(flags);
  const body = await promptBody(terminal, flags, config.bodyLimitBytes);
  const library = await actions.connectLibrary(config);
  if (library !== undefined) return library.compose(body);
  return promptAnswer(await actions.prompts(config).compose(body, new AbortController().signal), body);
}

/**
 * Composes from the skills of one folder. Its user names it, as with `--config`, so it needs no trust; and
 * nothing of it runs.
 */
async function composedFrom(
  folder: string,
  { actions, terminal }: CommandContext,
  flags: PromptFlags & GlobalFlags,
): Promise<PromptAnswer> {
  const { config, dataDir, url } = flags;
  const others = Object.entries({ '--config': config, '--data-dir': dataDir, '--url': url });
  const [other] = others.find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined)
    throw new UsageError(`--skills uses no configuration and no daemon; leave out ${other}`);
  const path = resolve(terminal.cwd(), folder);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${path} does not exist`);
  if (!found.isDirectory())
    throw new UsageError(`${path} is not a folder; pass a folder of skills, or one skill's folder`);
  const body = await promptBody(terminal, flags, defaultConfig().bodyLimitBytes);
  const catalog = folderCatalog([{ path, tier: 'local' }]);
  try {
    const composed = await actions.promptsWithoutConfig(catalog).compose(body, new AbortController().signal);
    const answer = promptAnswer(composed, body);
    const [skills, broken] = [await catalog.list(), await catalog.broken()];
    return {
      ...answer,
      warnings: [...answer.warnings, ...folderWarnings(folder, skills.length, broken.length)],
    };
  } finally {
    await catalog.close();
  }
}

function folderWarnings(folder: string, usable: number, broken: number): string[] {
  if (broken === 0) return usable === 0 ? [`${folder} contains no skills`] : [];
  const what = broken === 1 ? '1 skill' : `${broken} skills`;
  return [
    `${what} in ${folder} cannot be used; for the reasons, run: ambit skills validate ${shellWord(folder)}`,
  ];
}

/** Ends the prompt with a line feed on a terminal. A program gets the exact prompt. */
function withLineEnd({ stdout }: Terminal, prompt: string): string {
  return stdout.isTTY && !prompt.endsWith('\n') ? `${prompt}\n` : prompt;
}

function turn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a number of 1 or more.');
}

function tokens(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a number of tokens, 0 or more.');
}

async function promptBody(terminal: Terminal, flags: PromptFlags, bytesMax: number): Promise<PromptBody> {
  const { phase, agent, campaign, section, only, include, exclude, active, model, explain } = flags;
  if ([flags.system, flags.item, flags.fallback].filter((file) => file === '-').length > 1)
    throw new UsageError(
      'stdin can be read only once: use "-" for only one of --system, --item and --fallback',
    );
  const selection = {
    phase,
    agent,
    campaign,
    section,
    only,
    include,
    exclude,
    active,
    model,
    explain,
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
  const parsed = PromptBody.safeParse(selection);
  if (parsed.success) return parsed.data;
  throw new UsageError(describeIssues(parsed.error, PromptBody, selection).slice(0, 1).join());
}

function variable(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`--var ${text} has no value: write --var NAME=VALUE`);
}

async function contextPlace(
  terminal: Terminal,
  { root, item, itemFolder }: PromptFlags,
  bytesMax: number,
): Promise<PromptBody['context']> {
  if (root === undefined) {
    if (item === undefined && itemFolder === undefined) return undefined;
    throw new UsageError('--item and --item-folder need --root, the project folder');
  }
  const context: PromptBody['context'] = { root: resolve(terminal.cwd(), root) };
  if (item !== undefined) context.item = await readJson(terminal, item, bytesMax, '--item');
  if (itemFolder !== undefined) context.itemFolder = resolve(terminal.cwd(), itemFolder);
  return context;
}
