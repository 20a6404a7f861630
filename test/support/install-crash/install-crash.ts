import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import {
  type InstalledState,
  installedState,
} from '../../../packages/server/src/installs/testing/installed-state.ts';
import { ambit, daemonProcess } from '../daemon-process.ts';
import { endDaemons } from '../on-demand-daemons.ts';

/** The number of kills of each command, and everything that was wrong. */
export interface InstallCrashReport {
  kills: Record<string, number>;
  wrong: string[];
}

export interface InstallCrashOptions {
  /** Holds the source, the project and copies of it. */
  folder: string;
  /** The steps to kill a command at, of the given number, each from 1. */
  stepsOf(count: number): readonly number[];
  onKill?(command: string, step: number, count: number): void;
}

/**
 * Kills the daemon with SIGKILL at the given steps of each command that changes installed skills. Afterwards, what is in force must be the
 * old state or the new one, nothing may be approved without its event, the log must verify, and the same command must lead
 * to the new state.
 */
export async function installCrashes({
  folder,
  stepsOf,
  onKill,
}: InstallCrashOptions): Promise<InstallCrashReport> {
  // The trust in the project is restored with it: a record of a data directory that is gone would remain otherwise.
  const [state, copy, source] = [join(folder, 'state'), join(folder, 'copy'), join(folder, 'acme')];
  const [project, home] = [join(state, 'project'), join(state, 'home')];
  const run = (words: readonly string[]) => ambit(words, { cwd: project, env: { XDG_DATA_HOME: home } });
  /** Runs a command to its end, and then ends the daemon that it has started. */
  const runAlone = async (words: readonly string[]) => {
    const ran = await run(words);
    await endDaemons({ folder: project });
    return ran;
  };
  /** The command's answer, and the signal that ended the daemon, which has these variables. */
  const runIn = async (words: readonly string[], env: Record<string, string>) => {
    const daemon = await daemonProcess(project, undefined, {
      unconfigured: true,
      dataDir: join(project, '.ambit'),
      nodeArgs: [`--import=${preload}`],
      env: { XDG_DATA_HOME: home, ...env },
    });
    const ran = await run(words);
    const { signal } = await daemon.stop();
    return { ...ran, signal };
  };
  const report: InstallCrashReport = { kills: {}, wrong: [] };
  const write = async (description: string): Promise<void> => {
    for (const [name, text] of [
      ['docx', description],
      ['pdf', 'unchanged'],
    ] as const) {
      await mkdir(join(source, name, 'scripts'), { recursive: true });
      await writeFile(join(source, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${text}\n---\n`);
      await writeFile(join(source, name, 'scripts/run.py'), 'print("on")\n');
    }
  };
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'ambit.config.yaml'), '{}');
  await run(['trust', '--yes']);
  // The command's daemon makes the data directory the user's own.
  await runAlone(['audit']);
  await write('first');

  const removeFiles = async (): Promise<void> => {
    const [, digest = ''] = (await installedState(project))['acme:docx'] ?? [];
    await rm(join(project, '.ambit/installs/acme', digest.replace('sha256:', '')), { recursive: true });
  };
  const commands: [string, string[], (() => Promise<void>)?][] = [
    ['add', ['add', source]],
    ['approve', ['approve', 'docx', 'pdf']],
    ['update', ['update'], () => write('second')],
    ['approve an update', ['approve', 'docx']],
    ['revoke', ['revoke', 'docx']],
    ['restore', ['restore', 'docx']],
    ['sync', ['sync'], removeFiles],
    ['remove', ['remove', 'docx', 'pdf']],
  ];
  for (const [name, words, prepare] of commands) {
    await prepare?.();
    await rm(copy, { recursive: true, force: true });
    await cp(state, copy, { recursive: true });
    const before = await installedState(project);
    const counted = join(folder, 'steps');
    const whole = await runIn(['skills', ...words], { KILL_STEPS: counted });
    if (whole.code !== 0) throw new Error(`${name} failed: ${whole.stderr}`);
    const after = await installedState(project);
    const count = Number(await readFile(counted, 'utf8'));
    for (const step of stepsOf(count)) {
      const where = `${name}, killed at step ${step} of ${count}`;
      await restored(copy, state);
      const killed = await runIn(['skills', ...words], { KILL_AT_STEP: String(step) });
      if (killed.signal !== 'SIGKILL') report.wrong.push(`${where}: the daemon was not killed`);
      const left = await installedState(project);
      // A removal ends the approval first.
      const safe = name === 'remove' ? unapproved(before) : before;
      if (![before, after, safe].some((each) => isDeepStrictEqual(each, left)))
        report.wrong.push(`${where}: ${JSON.stringify({ before, left, after })}`);
      report.wrong.push(...logFlaws(project, left).map((flaw) => `${where}: ${flaw}`));
      const again = await runAlone(['skills', ...words]);
      // What was done already is unknown to the second removal or restoration.
      if (again.code !== 0 && !/INSTALL_NOT_FOUND/.test(again.stderr))
        report.wrong.push(`${where}: again: ${again.stderr}`);
      const repeated = await installedState(project);
      if (!isDeepStrictEqual(repeated, after))
        report.wrong.push(`${where}: again: ${JSON.stringify({ repeated, after })}`);
      report.wrong.push(...logFlaws(project, repeated).map((flaw) => `${where}: again: ${flaw}`));
      report.kills[name] = (report.kills[name] ?? 0) + 1;
      onKill?.(name, step, count);
    }
  }
  return report;
}

const preload = join(import.meta.dirname, 'kill-at-step.mjs');

async function restored(copy: string, state: string): Promise<void> {
  await rm(state, { recursive: true, force: true });
  await cp(copy, state, { recursive: true });
}

function unapproved(state: InstalledState): InstalledState {
  return Object.fromEntries(Object.entries(state).map(([id, [, ...rest]]) => [id, ['untrusted', ...rest]]));
}

/** Lists the flaws of the log: it does not verify, or lacks the approval of an approved version. */
function logFlaws(project: string, state: InstalledState): string[] {
  const file = join(project, '.ambit/audit.db');
  const { events, flaws } = existsSync(file) ? walkLog(file) : { events: [], flaws: [] };
  const approved = events.flatMap(({ event }) =>
    event.kind === 'skill.approved' ? [(event['skill'] as { digest: string }).digest] : [],
  );
  const unrecorded = Object.values(state).filter(
    ([tier, digest]) => tier === 'verified' && !approved.includes(digest ?? ''),
  );
  return [...flaws, ...unrecorded.map((each) => `approved without an event: ${each.join(' ')}`)];
}
