import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Prompts } from '../../wire/prompts.ts';
import type { Recorder } from '../audit/recorder.ts';
import {
  assemble,
  type ConfigIndependentParts,
  type DaemonCore,
  policyOf,
  type ReusableParts,
} from '../execute-deps.ts';
import { knownSecrets } from '../known-secrets.ts';
import { prompts } from '../prompts.ts';
import { forgetReloadReport, type ReloadReport, writeReloadReport } from './reload-report.ts';
import { type Reloader, reloader } from './reloader.ts';

/** A configuration and all that it has become. */
interface OneConfig {
  config: Config;
  assembled: DaemonCore;
  prompts: Prompts;
}

export interface LiveConfigOptions extends ConfigIndependentParts {
  config: Config;
  /** What there is of `config` already. */
  begun?: ReusableParts;
  load(): Promise<Config>;
  recorder: Pick<Recorder, 'log' | 'reloaded'>;
  logger: Logger;
  /**
   * Makes ready whatever else follows from a configuration. Resolves to what brings it into force, which cannot fail;
   * rejects when it cannot be used.
   */
  alsoReady(config: Config): Promise<() => void>;
}

/** The configuration of a daemon, which can be another while it runs. */
export interface LiveConfig extends Pick<Reloader, 'reload' | 'last' | 'settled'> {
  /** That in force: one object, whole. Whoever keeps what it holds keeps one configuration. */
  current(): OneConfig;
  prewarm(): void;
  /** Ends prewarmed programs that would not be granted the same now, then prewarms in the background. */
  reviewPrewarmed(): Promise<void>;
  close(): Promise<void>;
}

/** Begins with `options.config`. */
export async function liveConfig(options: LiveConfigOptions): Promise<LiveConfig> {
  const { logger, recorder, machine, environment } = options;
  await forgetReloadReport(options.config.dataDir);
  const made = (
    config: Config,
    around: ConfigIndependentParts,
    before?: DaemonCore | ReusableParts,
  ): OneConfig => {
    const assembled = assemble(config, around, before);
    const { catalog } = assembled.deps;
    const composing = prompts({
      ...{ config, catalog, contextRoots: config.contextRoots },
      sandbox: async () => machine.process,
    });
    return { config, assembled, prompts: composing };
  };
  let current = made(options.config, options, options.begun);

  const prewarm = (): void => {
    // Calls are answered meanwhile, each with a program of its own.
    void current.assembled.prewarm().then(
      (failed) => {
        for (const { skillId, cause } of failed)
          logger.warn({ skillId, err: cause }, 'it could not be made ready');
      },
      (cause: unknown) => logger.warn({ err: cause }, 'skills could not be made ready'),
    );
  };

  const reviewPrewarmed = async (): Promise<void> => {
    await current.assembled
      .endOutdated()
      .catch((err: unknown) => logger.error({ err }, 'a prewarmed program could not be ended'));
    prewarm();
  };

  const apply = async (config: Config, changed: readonly string[]): Promise<string> => {
    const policy = policyOf(config);
    const bringInForce = await options.alsoReady(config);
    // What is secret from now on is covered before anything of it can be written; what was, stays covered.
    const secrets = await knownSecrets(config, environment, options.secrets.redactions);
    const next = made(config, { ...options, secrets }, current.assembled);
    // The first call is not to wait for the skills to be read.
    await next.assembled.deps.catalog.list();
    if (changed.length > 0) {
      const event = {
        kind: 'config.reloaded' as const,
        time: Date.now(),
        policyDigest: policy.digest,
        changed,
      };
      await recorder.reloaded(policy, event).catch(async (error: unknown) => {
        await next.assembled.retire(current.assembled);
        throw error;
      });
    }
    const before = current;
    current = next;
    bringInForce();
    // A revoked grant must not outlive the report of its revocation.
    await before.assembled.retire(next.assembled);
    await reviewPrewarmed();
    return policy.digest;
  };

  const told = async (report: ReloadReport, cause?: unknown): Promise<void> => {
    const { outcome, issues, changed } = report;
    if (outcome === 'refused') {
      logger.error({ issues, err: cause }, 'the configuration cannot be used; what held before holds');
      const event = {
        kind: 'config.refused' as const,
        time: Date.now(),
        message: issues.join('\n').slice(0, 4000),
      };
      await recorder.log
        .append(event)
        .catch((err: unknown) =>
          logger.error({ err }, 'that the configuration was refused is not in the log'),
        );
    } else logger.info({ outcome, changed }, 'the configuration was read again');
    await writeReloadReport(current.config.dataDir, report).catch((err: unknown) =>
      logger.error({ err }, 'what came of reading the configuration again could not be reported'),
    );
  };

  const reloading = reloader({
    ...{ load: options.load, config: options.config, policyDigest: policyOf(options.config).digest },
    ...{ now: Date.now, apply, told },
  });
  return {
    ...reloading,
    current: () => current,
    prewarm,
    reviewPrewarmed,
    async close() {
      await reloading.settled();
      await current.assembled.close();
    },
  };
}
