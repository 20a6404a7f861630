import { issueWords } from '@ambit/core/internal';
import { z } from 'zod';
import type { Config, ConfigSources, Origin } from './config.ts';
import { anchoredPath, Host, LogLevel, Port } from './file/plain-values.ts';

/** The values that both the environment and the command line can set. */
export interface Overrides {
  host: string;
  port: number;
  dataDir: string;
  logLevel: Config['logLevel'];
}

/** One layer over the file: its values, where each comes from, and every mistake in it. */
interface OverrideLayer {
  values: Partial<Overrides>;
  origins: Readonly<Record<keyof Overrides, Origin>>;
  issues: string[];
}

/** `AMBIT_*`. An empty variable is as good as none. */
export function readEnvironment({ env, cwd, home }: ConfigSources): OverrideLayer {
  const given = {
    host: env['AMBIT_HOST'] || undefined,
    port: env['AMBIT_PORT'] || undefined,
    dataDir: env['AMBIT_DATA_DIR'] || undefined,
    logLevel: env['AMBIT_LOG_LEVEL'] || undefined,
  };
  return readLayer(overrides(cwd, home), given, {
    host: 'env:AMBIT_HOST',
    port: 'env:AMBIT_PORT',
    dataDir: 'env:AMBIT_DATA_DIR',
    logLevel: 'env:AMBIT_LOG_LEVEL',
  });
}

/** The flags of the command line. */
export function readFlags({ flags, cwd, home }: ConfigSources): OverrideLayer {
  return readLayer(overrides(cwd, home), flags, {
    host: 'flag:--host',
    port: 'flag:--port',
    dataDir: 'flag:--data-dir',
    logLevel: 'flag:--log-level',
  });
}

function overrides(cwd: string, home: string) {
  const portText = z.string().regex(/^\d{1,5}$/, 'write a port, 0 to 65535');
  return {
    host: Host,
    port: portText.transform(Number).pipe(Port),
    dataDir: anchoredPath(cwd, home),
    logLevel: LogLevel,
  };
}

function readLayer(
  schemas: ReturnType<typeof overrides>,
  given: Partial<Record<keyof Overrides, string | undefined>>,
  origins: OverrideLayer['origins'],
): OverrideLayer {
  const values: Record<string, unknown> = {};
  const issues: string[] = [];
  for (const key of Object.keys(schemas) as (keyof Overrides)[]) {
    if (given[key] === undefined) continue;
    const parsed = schemas[key].safeParse(given[key]);
    if (parsed.success) values[key] = parsed.data;
    else
      issues.push(
        `${origins[key].replace(/^\w+:/, '')}: ${parsed.error.issues.slice(0, 1).map((issue) => issueWords(issue, given[key]))}`,
      );
  }
  return { values, origins, issues };
}
