import { thrownText } from '@ambit/core/internal';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';
import type { ReloadReport } from './reload-report.ts';

/** What reading the configuration again needs of the daemon. */
export interface ReloaderOptions {
  /** The configuration from where it was loaded at the start. Rejects with a `ConfigError`. */
  load(): Promise<Config>;
  /** That of the start. */
  config: Config;
  policyDigest: string;
  now(): number;
  /**
   * Brings a configuration into force, whole; resolves to its policy's digest. Rejects, with everything as it was, when
   * that cannot be.
   */
  apply(config: Config, changed: readonly string[]): Promise<string>;
  /** Told of every reading before whoever asked for it. */
  told(report: ReloadReport, cause?: unknown): Promise<void>;
}

export interface Reloader {
  /**
   * Reads the configuration again and brings it into force, or says why not. Whoever asks while that is under way waits
   * for one reading that begins after, together with all others who do. Rejects only as `told` does.
   */
  reload(): Promise<ReloadReport>;
  /** The last report; `undefined` when nothing was read again. */
  last(): ReloadReport | undefined;
  /** Resolves when nothing is under way. */
  settled(): Promise<unknown>;
}

/** Reads a daemon's configuration again, one reading at a time. */
export function reloader({ load, now, apply, told, ...start }: ReloaderOptions): Reloader {
  let { config, policyDigest } = start;
  let last: ReloadReport | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<ReloadReport> | undefined;

  const taken = async (beganAt: number): Promise<ReloadReport> => {
    const read = await load();
    if (config.file !== undefined && read.file === undefined) throw new ConfigError([fileGone(config.file)]);
    const changed = changedKeys(config, read);
    const issues = needingRestart(changed).map(restartNeeded);
    if (issues.length > 0) throw new ConfigError(issues);
    // The files that it names may hold something else, as those of a certificate.
    policyDigest = await apply(read, changed);
    config = read;
    const outcome = changed.length === 0 ? 'unchanged' : 'applied';
    return { outcome, beganAt, changed, issues: [], policyDigest };
  };

  const reload = async (): Promise<ReloadReport> => {
    const beganAt = now();
    let cause: unknown;
    last = await taken(beganAt).catch((error: unknown) => {
      cause = error;
      return { outcome: 'refused' as const, beganAt, changed: [], issues: issuesOf(error), policyDigest };
    });
    await told(last, cause);
    return last;
  };

  return {
    reload() {
      next ??= running.then(() => {
        next = undefined;
        const mine = reload();
        running = mine.catch(() => undefined);
        return mine;
      });
      return next;
    },
    last: () => last,
    settled: () => next?.catch(() => undefined) ?? running,
  };
}

/** Whoever takes a file away may be about to put another there, and its `deny` is not to end meanwhile. */
function fileGone(file: string): string {
  return `the configuration file ${file} is not there any more: what it said holds until it is back, or the daemon is started again`;
}

function restartNeeded(key: string): string {
  return `${key}: needs a restart, so that nothing of the file was applied; restart the daemon, or put ${key} back to have the rest now`;
}

function issuesOf(error: unknown): string[] {
  if (error instanceof ConfigError) return [...error.details.issues];
  return [thrownText(error)];
}
