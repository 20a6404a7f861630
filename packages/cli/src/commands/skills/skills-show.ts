import type { RunView, SkillDetail } from '@ambit/api';
import { wasmText } from '@ambit/core/inspect';
import { amountText } from '@ambit/core/policy';
import { mayStart, runnablePackages } from '@ambit/core/skill';
import { decisionText, shellWord } from '@ambit/server/trust';
import { type CommandContext, defineCommand } from '../../command/define-command.ts';
import { noteInvalidFolder } from '../../command/invalid-folder.ts';
import { withSearchedPlaces } from '../../command/searched-places.ts';
import { printableLine } from '../../output/printable.ts';

/** `ambit skills show`: one skill, and how to call it. */
export const skillsShow = defineCommand({
  name: 'skills show',
  summary: 'show one skill and how to call it',
  description:
    'Show one skill: its description, how to call it, the capabilities that it requests, and its files. With --json, also its schemas.',
  remote: true,
  args: { skill: { text: 'the id of the skill' } },
  examples: {
    'ambit skills show csv-profile': 'one skill',
    'ambit skills show csv-profile --json': 'with its input and output schemas',
  },
  async run(context, flags, { skill: id }) {
    const { print, terminal } = context;
    const config = await context.loadConfig(flags);
    const client = await context.client(config);
    const shown = await client.skill(id).catch(async (error) => {
      await noteInvalidFolder(context, config, client, error, id);
      throw await withSearchedPlaces(error, context, config, id);
    });
    if (print.json) print.document(shown);
    else print.lines(...showText(shown, terminal).map(printableLine));
  },
});

function showText(shown: SkillDetail, terminal: CommandContext['terminal']): string[] {
  const { id, alias, version, tier, digest, description, license, compatibility, allowedTools } = shown;
  const { run, entries, scripts, scriptLimits, files, root, programs = {}, wasm = {} } = shown;
  const { warnings, hiddenFrom = [] } = shown;
  const without = entries.length + scripts.length > 0 ? 'scripts' : 'prompt';
  const kind = run === null ? without : `${run.runtime}/${run.protocol}`;
  const callable = scripts.filter((script) => mayStart({ tier }, script));
  return [
    `${id}${version === null ? '' : ` ${version}`}, ${tier}, ${kind}`,
    ...(alias === null ? [] : [`alias: ${alias}`]),
    description,
    ...(run === null
      ? []
      : [
          `call it with: ambit run ${id}${inputFlags(run)}`,
          ...inputLine(run),
          `requests: ${requestsText(run)}`,
          limitsText(run.callLimits),
        ]),
    ...entries.flatMap(({ name, description: what, run: named }) => [
      `script ${name}${what === null ? '' : `: ${what}`}`,
      `call it with: ambit run ${id} --script ${name}${inputFlags(named)}`,
      ...inputLine(named),
      `requests: ${requestsText(named)}`,
      limitsText(named.callLimits),
    ]),
    ...callable
      .slice(0, scriptsMax)
      .map(({ path, runtime }) => scriptText(`ambit run ${id} --script ${shellWord(path)}`, runtime)),
    ...(callable.length > scriptsMax
      ? [`and ${callable.length - scriptsMax} more scripts, which --json lists`]
      : []),
    ...(callable.length === 0 ? [] : [limitsText(scriptLimits)]),
    ...runnablePackages({ files }).map((name) =>
      scriptText(`ambit run ${id} --script "-m ${name}"`, tier === 'untrusted' ? 'wasm' : 'process'),
    ),
    ...Object.entries(wasm).map(([path, needs]) => `${path}: ${wasmText(needs)}`),
    ...(root === undefined ? [] : howToTrust(shown, root, terminal)),
    ...Object.entries(programs).map(([name, place]) => `program ${name}: ${place}`),
    ...(compatibility === null ? [] : [`compatibility: ${compatibility}`]),
    ...(allowedTools.length === 0 ? [] : [`allowed tools: ${allowedTools.join(' ')}`]),
    ...(license === null ? [] : [`license: ${license}`]),
    ...hiddenFrom.map((who) => `hidden from: ${who}`),
    ...(root === undefined ? [] : [`folder: ${root}`]),
    `digest: ${digest}`,
    `files: ${files.map(({ path }) => path).join(', ')}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
}

/** Some skills have hundreds. */
const scriptsMax = 32;

function scriptText(call: string, runtime: 'process' | 'wasm'): string {
  return `call it with: ${call} -- ARGUMENTS${runtime === 'wasm' ? ' (Python in WebAssembly)' : ''}`;
}

/** Describes what its tier keeps from running, and how to trust it. */
function howToTrust(
  { id, tier, run, entries, scripts, files, installed }: SkillDetail,
  root: string,
  terminal: CommandContext['terminal'],
): string[] {
  if (tier !== 'untrusted') return [];
  const runs = [run, ...entries.map((entry) => entry.run), ...scripts].filter((each) => each !== null);
  const isRefused = runs.some(({ runtime }) => runtime === 'process');
  const hasPython =
    scripts.some(({ runtime }) => runtime === 'wasm') || runnablePackages({ files }).length > 0;
  if (!isRefused && !hasPython) return [];
  const what = isRefused
    ? hasPython
      ? 'calls of programs are refused at tier untrusted, and Python runs in WebAssembly'
      : 'calls are refused at tier untrusted'
    : 'Python runs in WebAssembly at tier untrusted, without programs, network and packages';
  const remedy = installed
    ? decisionText(
        terminal,
        `to trust this version, run: ambit skills review ${id}, then: ambit skills approve ${id}`,
        `to read it, run: ambit skills review ${id}. A person decides, in a terminal, whether to approve it`,
      )
    : `if you trust its source, add to ambit.config.yaml: skills: [{ path: ${JSON.stringify(root)}, tier: verified }]`;
  return [`${what}; ${remedy}`];
}

function inputFlags({ protocol }: RunView): string {
  return protocol === 'json' ? ' --input FILE' : ' -- ARGUMENTS';
}

function inputLine({ input }: RunView): string[] {
  return input === null || input === undefined ? [] : [`input: ${JSON.stringify(input)}`];
}

/** The requested capabilities, without empty ones. */
function requestsText({ capabilities }: RunView): string {
  const requested = Object.entries(capabilities).filter(([, value]) => !isNothing(value));
  return requested.length === 0 ? 'nothing' : JSON.stringify(Object.fromEntries(requested));
}

/** The limits that people meet first. */
function limitsText({ default: usual, max }: SkillDetail['scriptLimits']): string {
  const text = (name: 'memoryBytes' | 'timeoutMs', unit: string): string => {
    const [least, most] = [amountText(name, usual[name]), amountText(name, max[name])];
    return `${withUnit(least, unit)} (at most ${withUnit(most, unit)})`;
  };
  return `limits: memory ${text('memoryBytes', 'B')}, time ${text('timeoutMs', 'ms')}`;
}

/** A configuration needs no smallest unit, and a reader does. */
function withUnit(amount: string, unit: string): string {
  return /^\d+$/.test(amount) ? `${amount}${unit}` : amount;
}

function isNothing(value: unknown): boolean {
  if (value === 'none') return true;
  return typeof value === 'object' && value !== null && Object.values(value).every(isNothing);
}
