import { userPlaces } from '@ambit/client/node';
import { UsageError } from '@ambit/core/outcome';
import { defineCommand, defineOptions } from '../../command/define-command.ts';
import { withSearchedPlaces } from '../../command/searched-places.ts';
import { time } from '../../command/times.ts';
import { appliedLines } from '../grant/applied-lines.ts';
import { isPerson } from '../grant/is-person.ts';
import { limit } from '../run/call-of.ts';
import { patchOf, printProposal } from './print-proposal.ts';
import { refuseCallOptions, runTrial } from './propose-trial.ts';

const options = defineOptions({
  since: { value: 'time', text: 'read only calls since this time: 2026-01-31, 30m, 7d', parse: time },
  broad: { text: 'also grant broad items, such as a home folder or a wildcard' },
  write: {
    text: 'change the files, trust exactly what was written, and reload a running daemon',
    details: 'Comments and layout stay, as with [ambit grant](#ambit-grant)',
  },
  review: {
    value: 'name',
    text: 'make exactly the change that --json printed with this review; without a terminal',
  },
  trial: {
    text: 'first run the skill with nothing granted, and propose a grant for what that run lacked',
    details: 'See [trials](#trials)',
  },
  script: { value: 'script', text: 'with --trial: run this script, as with ambit run', completes: 'files' },
  command: { value: 'text', text: 'with --trial: run this command of the instructions, as with ambit run' },
  input: { value: 'json|file', text: 'with --trial: pass this JSON, or file with JSON; - is stdin' },
  stdin: { value: 'file', text: 'with --trial: pass this file to stdin; - is stdin' },
  file: {
    value: 'path',
    text: 'with --trial: copy this file or folder into the workspace; repeatable',
    repeatable: true,
  },
  timeout: { value: 'time', text: 'with --trial: stop the run after this time', parse: limit('timeoutMs') },
  memory: {
    value: 'size',
    text: 'with --trial: give the run this much memory',
    parse: limit('memoryBytes'),
  },
});

/** `ambit skills propose`: the smallest grant that covers what a skill's calls lacked. */
export const skillsPropose = defineCommand({
  name: 'skills propose',
  summary: 'propose the smallest grant that covers refused calls',
  description:
    'Propose the smallest change of the configuration, and of the ambit.yaml of a skill, that covers what its recorded calls lacked. The change is printed to stdout as a patch; stderr explains each item, how often and when it was refused, and what else would have to change. Every item is a decision: a skill can cause refusals on purpose. Nothing is written without --write.',
  args: {
    skill: { text: 'the id of the skill' },
    args: {
      text: 'with --trial: arguments for a skill with protocol command, after --',
      optional: true,
      variadic: true,
    },
  },
  options,
  examples: {
    'ambit skills propose docx': 'show what its calls lacked',
    'ambit skills propose docx | patch -p0': 'apply the change in this folder',
    'ambit skills propose docx --since 1d --write': 'change the files',
    'ambit skills propose docx --trial -- in.docx': 'run it once with nothing granted',
  },
  async run(context, flags, { skill: id, args }) {
    const { since, broad = false, write = false, trial = false, review } = flags;
    if (trial && since !== undefined) throw new UsageError('--trial reads only its own call: omit --since');
    if (!trial) refuseCallOptions(args, flags);
    const config = await context.loadConfig(flags);
    const { applyProposal, proposeLocally } = await import('@ambit/server/local');
    const environment = context.terminal.env;
    const { home } = userPlaces(environment);
    const openLog = async () => ({ query: (await context.client(config)).audit.page });
    const propose = async () => {
      const ran = trial ? await runTrial(context, config, id, args, flags) : undefined;
      const execution = ran?.executionId;
      const sources = { config, environment, home, openLog };
      return { ran, found: await proposeLocally(sources, id, { since, execution, broad }) };
    };
    const { ran, found } = await propose().catch(async (error) => {
      throw await withSearchedPlaces(error, context, config, id);
    });
    const patch = patchOf(found.changes, context.terminal.cwd());
    const isDecided = review === undefined ? write && isPerson(context) : review === found.review;
    const applied = isDecided && found.changes.length > 0 ? await applyProposal(config, found) : undefined;
    const done = applied && (await appliedLines(context, flags, found.changes, applied));
    if ((write || review !== undefined) && !isDecided && found.changes.length > 0) context.exitCode = 3;
    printProposal(context, { ran, found, patch, done }, { broad });
  },
});
