import { thrownText } from '@ambit/core/outcome';
import type { Config } from '../../config/config.ts';
import { configDigest } from '../../config/config-digest.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { ReloadReport } from '../../running-daemon/reload-report.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';

export interface ReloaderOptions {
  /** Loads the configuration from the same sources as at the start. Rejects with a `ConfigError`. */
  load(): Promise<Config>;
  /** The configuration at the start. */
  config: Config;
  policyDigest: string;
  /** Keys that need a restart elsewhere, but not in this daemon. */
  changeable: readonly string[];
  now(): number;
  /** Applies a configuration completely and resolves to the digest of its policy, or rejects and changes nothing. */
  apply(config: Config, changed: readonly string[]): Promise<string>;
  /** Gets every report before the caller of `reload`. */
  onReport(report: ReloadReport, cause?: unknown): Promise<void>;
}

export interface Reloader {
  /**
   * Reloads the configuration, and applies or refuses it. All calls during a reload share the one that follows it. Rejects
   * only like `onReport`.
   */
  reload(): Promise<ReloadReport>;
  /** Applies a change of the configuration in force that is not in its file, after the running reload. */
  change(next: (config: Config) => Promise<Config>): Promise<void>;
  /** The last report; `undefined` before the first reload. */
  last(): ReloadReport | undefined;
  /** Resolves when no reload is running. */
  settled(): Promise<unknown>;
}

/** Reloads a daemon's configuration, one reload at a time. */
export function reloader({ load, changeable, now, apply, onReport, ...start }: ReloaderOptions): Reloader {
  let { config, policyDigest } = start;
  let last: ReloadReport | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<ReloadReport> | undefined;

  const loadAndApply = async (beganAt: number): Promise<ReloadReport> => {
    const read = await load();
    if (config.file !== undefined && read.file === undefined) throw new ConfigError([fileGone(config.file)]);
    const changed = changedKeys(config, read);
    const issues = needingRestart(changed)
      .filter((key) => !changeable.includes(key))
      .map(restartNeeded);
    if (issues.length > 0) throw new ConfigError(issues);
    // Apply it even if unchanged: files that it names, such as certificates, may have changed.
    policyDigest = await apply(read, changed);
    config = read;
    const outcome = changed.length === 0 ? 'unchanged' : 'applied';
    return { outcome, beganAt, changed, issues: [], policyDigest, configDigest: configDigest(config) };
  };

  const reload = async (): Promise<ReloadReport> => {
    const beganAt = now();
    let cause: unknown;
    last = await loadAndApply(beganAt).catch((error: unknown) => {
      cause = error;
      return {
        outcome: 'refused' as const,
        beganAt,
        changed: [],
        issues: issuesOf(error),
        policyDigest,
        configDigest: configDigest(config),
      };
    });
    await onReport(last, cause);
    return last;
  };

  return {
    reload() {
      if (next === undefined) {
        next = running.then(() => {
          next = undefined;
          return reload();
        });
        running = next.catch(() => undefined);
      }
      return next;
    },
    async change(next) {
      const mine = running.then(async () => {
        const changed = await next(config);
        policyDigest = await apply(changed, changedKeys(config, changed));
        config = changed;
      });
      running = mine.catch(() => undefined);
      return mine;
    },
    last: () => last,
    settled: () => next?.catch(() => undefined) ?? running,
  };
}

/** A removed file may be about to be replaced, and its `deny` must stay in force meanwhile. */
function fileGone(file: string): string {
  return `the configuration file ${file} no longer exists; its settings remain in force until it is restored or the daemon restarts`;
}

function restartNeeded(key: string): string {
  return `${key}: a change needs a restart, so nothing was applied; restart the daemon, or revert ${key} and reload again`;
}

function issuesOf(error: unknown): string[] {
  if (error instanceof ConfigError) return [...error.details.issues];
  return [thrownText(error)];
}
