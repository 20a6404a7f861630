import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentTargets, type PromptAnswer, PromptBody } from '@ambit/api';
import { userPlaces } from '@ambit/client/node';
import { explainText } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { describeIssues } from '@ambit/core/skill';
import { folderCatalog } from '@ambit/runtime';
import { defaultConfig, namedDataDir } from '@ambit/server/config';
import { shellWord } from '@ambit/server/trust';
import { promptAnswer } from '@ambit/server/wire';
import {
  type CommandContext,
  defineCommand,
  defineOptions,
  type FlagsOf,
  type GlobalFlags,
} from '../command/define-command.ts';
import { readInput, readJson } from '../command/read-input.ts';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../output/terminal.ts';

const options = defineOptions({
  skills: {
    value: 'dir',
    text: 'take the skills from this folder only; no configuration, no daemon',
    details: 'Uses no data directory either, and runs nothing of them. See [prompts](prompts.md)',
  },
  phase: {
    value: 'name',
    text: 'select the skills of this phase of work and of every phase',
    completes: 'phase',
  },
  agent: {
    value: 'name',
    text: 'select the skills of this agent and of every agent',
    details: 'Its own skills come first, in the order of `agents.<NAME>.skills`',
    completes: 'agent',
  },
  tag: { value: 'tag', text: 'select skills with this tag; repeatable', repeatable: true },
  campaign: { value: 'name', text: 'leave out skills of other campaigns' },
  section: { value: 'name', text: 'leave out skills of other sections' },
  only: { value: 'id', text: 'select only this skill and those it requires; repeatable', repeatable: true },
  include: {
    value: 'id',
    text: 'select this skill regardless of other options; repeatable',
    repeatable: true,
  },
  exclude: { value: 'id', text: 'leave out this skill; repeatable', repeatable: true },
  budget: { value: 'tokens', text: 'select skills while their bodies fit into this budget', parse: tokens },
  system: { value: 'file', text: 'insert the skills into this system prompt; - is stdin' },
  fallback: { value: 'file', text: 'print this prompt if there is no system prompt and no skill' },
  iteration: { value: 'n', text: "set {{iteration}}, the turn of the agent's loop, from 1", parse: turn },
  active: { value: 'id', text: 'include the body of this selected skill; repeatable', repeatable: true },
  show: {
    value: 'what',
    text: 'choose what to include of the other skills',
    choices: ['metadata', 'index', 'bodies'],
    default: 'metadata',
  },
  plain: { text: 'print bodies without tags' },
  var: { value: 'name=value', text: 'set {{name}} in the system prompt; repeatable', repeatable: true },
  maxTokens: { value: 'tokens', text: 'limit the size of the whole prompt', parse: tokens },
  cut: { text: 'cut a part that does not fit at a line instead of leaving it out' },
  root: {
    value: 'dir',
    text: 'gather the context that the skills ask for from this project folder',
    details: 'See [context](context.md)',
  },
  item: { value: 'file', text: 'pass the work item as JSON to skills that ask for it; needs --root' },
  itemFolder: { value: 'dir', text: 'read artifacts of earlier phases from this folder within --root' },
  for: {
    value: 'agent',
    text: 'print the settings of this agent',
    details: 'See [agents](agents.md)',
    choices: agentTargets,
  },
  model: { value: 'name', text: 'set the model in those settings' },
  explain: {
    text: 'print the parts of the prompt and their reasons',
    details: 'Also prints their tokens, what was left out and why, and the tools that the agent may use',
  },
});
type PromptFlags = FlagsOf<typeof options>;

/** `ambit prompt`: composes a prompt and explains it. */
export const promptCommand = defineCommand({
  name: 'prompt',
  summary: 'compose a prompt from the skills of a phase or an agent',
  description:
    'Compose a prompt from selected skills and print it to stdout. With --explain, print its parts instead: the tokens of each and the reason for it, what was left out and why, and the tools that the agent may use.',
  remote: true,
  options,
  examples: {
    'ambit prompt --phase implement': 'the prompt for this phase',
    'ambit prompt --phase implement --explain': 'why each part is included',
    'ambit prompt --skills ./skills --phase plan': 'from a folder, without a configuration',
    'ambit prompt --show bodies --plain': 'the instructions of every skill',
    'ambit prompt --phase plan --for claude-code --json': 'settings to start Claude Code with',
  },
  async run(context, flags) {
    const { print } = context;
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
  },
});

async function composed(context: CommandContext, flags: PromptFlags & GlobalFlags): Promise<PromptAnswer> {
  const config = await context.loadConfig(flags);
  const body = await promptBody(context.terminal, flags, config.bodyLimitBytes);
  return (await context.client(config)).prompt(body);
}

/**
 * Composes from the skills of one folder. Its user names it, as with `--config`, so it needs no trust; and
 * nothing of it runs.
 */
async function composedFrom(
  folder: string,
  { terminal }: CommandContext,
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
  const { prompts } = await import('@ambit/server/local');
  const { env } = terminal;
  // Context may come from any folder that this user can read, and their data directory stays hidden.
  const hidden = namedDataDir({ flags: {}, env, cwd: terminal.cwd(), home: userPlaces(env).home });
  const catalog = folderCatalog([{ path, tier: 'local' }]);
  try {
    const composed = await prompts({
      config: { ...defaultConfig(), file: undefined, dataDir: hidden ?? resolve(terminal.cwd(), '.ambit') },
      catalog,
      contextRoots: 'anywhere',
    }).compose(body, new AbortController().signal);
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
  throw new UsageError('Write a number of 1 or more.');
}

function tokens(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError('Write a number of tokens, 0 or more.');
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
