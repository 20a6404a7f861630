import type { Logger } from 'pino';
import type { Config, ConfigEntry } from '../../config/config.ts';
import { readInstalled } from '../../config/read-installed.ts';
import { foundSkills } from '../../config/skill-warnings.ts';
import { whyRefused } from '../../installs/installed-roots.ts';
import type { Prompts } from '../../prompts/prompts.ts';
import { prompts } from '../../prompts/prompts.ts';
import {
  forgetReloadReport,
  type ReloadReport,
  writeReloadReport,
} from '../../running-daemon/reload-report.ts';
import type { LiveDecisions } from '../../setup/live-decisions.ts';
import type { Recorder } from '../../setup/recorder/recorder.ts';
import {
  type ConfigIndependentParts,
  openSkillService,
  policyOf,
  type ReusableParts,
  type SkillService,
} from '../../setup/skill-service.ts';
import { logShortSecrets } from '../observe/log-short-secrets.ts';
import { logSkillWarnings } from '../observe/log-skill-warnings.ts';
import { type Reloader, type ReloaderOptions, reloader } from './reloader.ts';

/** A configuration with everything built from it. */
interface ActiveConfig {
  config: Config;
  /** Its values with their origins, except for installed skills, which change without a reload. */
  values: readonly ConfigEntry[];
  service: SkillService;
  prompts: Prompts;
}

export interface LiveConfigOptions
  extends Omit<ConfigIndependentParts, 'decisions'>,
    Pick<ReloaderOptions, 'changeable'> {
  decisions: LiveDecisions;
  config: Config;
  /** Parts of `config` that are already open. */
  reused: ReusableParts;
  load(): Promise<Config>;
  /** The values of a configuration that was loaded, with their origins. */
  valuesOf(config: Config): readonly ConfigEntry[] | undefined;
  recorder: Pick<Recorder, 'log' | 'reloaded'>;
  logger: Logger;
  /**
   * Prepares everything else that depends on the configuration. Resolves to a function that applies it and cannot fail;
   * rejects if the configuration cannot be used.
   */
  prepare(config: Config): Promise<() => void>;
}

/** The configuration of a running daemon, which can be reloaded. */
export interface LiveConfig extends Pick<Reloader, 'reload' | 'last' | 'settled'> {
  /** The configuration in force. All parts of the object belong to the same configuration. */
  current(): ActiveConfig;
  /**
   * Reads the lock file and the decisions about installed skills again, and applies them. A lock file that cannot be read is
   * logged, and what it listed before stays in force. Rejects if it cannot.
   */
  refreshInstalled(): Promise<void>;
  /** Applies a change of the configuration in force that is not in its file. Rejects if it cannot be applied. */
  change(next: (config: Config) => Promise<Config>): Promise<void>;
  prewarm(): void;
  /** Ends prewarmed programs whose grants have changed, then prewarms in the background. */
  reviewPrewarmed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts with `options.config`. */
export async function liveConfig(options: LiveConfigOptions): Promise<LiveConfig> {
  const { logger, recorder, environment } = options;
  await forgetReloadReport(options.config.dataDir);
  let current = activated(options, options.config, { service: options.reused, values: [] });

  const prewarm = (): void => {
    // Meanwhile each call starts its own program.
    void current.service.prewarm().then(
      (failed) => {
        for (const { skillId, cause } of failed)
          logger.warn({ skillId, err: cause }, 'cannot prewarm the skill');
      },
      (cause: unknown) => logger.warn({ err: cause }, 'cannot prewarm skills'),
    );
  };

  const reviewPrewarmed = async (): Promise<void> => {
    await current.service
      .endOutdated()
      .catch((err: unknown) => logger.error({ err }, 'cannot end a prewarmed program'));
    prewarm();
  };

  const apply = async (config: Config, changed: readonly string[]): Promise<string> => {
    const policy = policyOf(config);
    const applyPrepared = await options.prepare(config);
    const next = activated(options, config, current);
    // Read the skills now, so that the first call does not wait for that.
    const found = await foundSkills(next.service.deps.catalog);
    if (changed.length > 0) {
      const event = {
        kind: 'config.reloaded' as const,
        time: Date.now(),
        policyDigest: policy.digest,
        changed,
        clusterPolicy: config.clusterPolicy?.revision,
      };
      await recorder.reloaded(policy, event).catch(async (error: unknown) => {
        await next.service.retire(current.service);
        throw error;
      });
    }
    const before = current;
    current = next;
    const decisions = options.decisions.current();
    options.installedCalls.refuse((skill) => whyRefused(skill, config, decisions));
    applyPrepared();
    // A revoked grant must not outlive the report of its revocation.
    await before.service.retire(next.service);
    await logSkillWarnings(config, found, logger);
    await logShortSecrets(config, environment, logger);
    await reviewPrewarmed();
    return policy.digest;
  };

  const reloading = reloader({
    load: options.load,
    config: options.config,
    policyDigest: policyOf(options.config).digest,
    changeable: options.changeable,
    now: Date.now,
    apply,
    onReport: (report, cause) => reportReload(options, report, cause),
  });
  return {
    ...reloading,
    current: () => current,
    async refreshInstalled() {
      await options.decisions.read();
      await reloading.change(async (config) => {
        const read = await readInstalled(config).catch((err: unknown) =>
          logger.error({ err }, 'cannot read the lock file; the skills that it listed before stay in force'),
        );
        return { ...config, ...read };
      });
    },
    prewarm,
    reviewPrewarmed,
    async close() {
      await reloading.settled();
      await current.service.close();
    },
  };
}

/** Builds everything from `config`. Parts of the configuration before it are reused. */
function activated(
  { decisions, valuesOf, ...shared }: LiveConfigOptions,
  config: Config,
  before: Pick<ActiveConfig, 'values'> & { service: ReusableParts },
): ActiveConfig {
  const service = openSkillService(config, { ...shared, decisions: decisions.current }, before.service);
  const composing = prompts({
    config,
    catalog: service.deps.catalog,
    contextRoots: config.contextRoots,
    sandbox: async () => shared.machine.process,
  });
  const values = valuesOf(config)?.filter(({ key }) => !key.startsWith('installed.'));
  return { config, service, prompts: composing, values: values ?? before.values };
}

/** Logs a reload, records a refused configuration, and writes the report. Does not reject. */
async function reportReload(
  { logger, recorder, config: { dataDir } }: Pick<LiveConfigOptions, 'logger' | 'recorder' | 'config'>,
  report: ReloadReport,
  cause: unknown,
): Promise<void> {
  const { outcome, issues, changed } = report;
  if (outcome === 'refused') {
    logger.error({ issues, err: cause }, 'refused the configuration; the previous one remains in force');
    const event = {
      kind: 'config.refused' as const,
      time: Date.now(),
      message: issues.join('\n').slice(0, 4000),
    };
    await recorder.log
      .append(event)
      .catch((err: unknown) =>
        logger.error({ err }, 'cannot record the refused configuration in the audit log'),
      );
  } else
    logger.info(
      { outcome, changed },
      outcome === 'unchanged' ? 'the configuration is unchanged' : 'reloaded the configuration',
    );
  await writeReloadReport(dataDir, report).catch((err: unknown) =>
    logger.error({ err }, 'cannot write the reload report'),
  );
}
