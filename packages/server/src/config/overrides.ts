import { issueWords } from '@ambit/core/skill';
import { z } from 'zod';
import type { Config, ConfigSources, Origin } from './config.ts';
import { anchoredPath, Host, LogLevel, Port } from './file/plain-values.ts';

/** The values that both variables and flags can set. */
export interface Overrides {
  host: string;
  port: number;
  dataDir: string;
  logLevel: Config['logLevel'];
}

/** A layer that overrides the file: its values, their origins, and every mistake. */
interface OverrideLayer {
  values: Partial<Overrides>;
  origins: Readonly<Record<keyof Overrides, Origin>>;
  issues: string[];
}

/** Reads `AMBIT_*`. Empty variables are ignored. */
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

/** Reads the flags of the command line. */
export function readFlags({ flags, cwd, home }: ConfigSources): OverrideLayer {
  return readLayer(overrides(cwd, home), flags, {
    host: 'flag:--host',
    port: 'flag:--port',
    dataDir: 'flag:--data-dir',
    logLevel: 'flag:--log-level',
  });
}

function overrides(cwd: string, home: string) {
  const portText = z.string().regex(/^\d{1,5}$/, 'write a port from 0 to 65535');
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
