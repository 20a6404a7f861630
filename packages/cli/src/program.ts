/**
 * The program behind `ambit`: a daemon on demand, or a command line with the surroundings of this process. A command loads the
 * modules that it uses, because loading takes most of its time.
 */
import { userPlaces } from '@ambit/client/node';
import { type ConfigFlags, type ConfigSources, configLoader } from '@ambit/server/config';
import { readOnDemandArguments } from '@ambit/server/daemon';
import manifest from '../package.json' with { type: 'json' };
import { ambitCli } from './ambit-cli.ts';
import { useDaemon } from './runner/use-daemon.ts';

/** Runs the command line of this process. Resolves to its exit code. */
export async function runProgram(): Promise<number> {
  const argv = process.argv.slice(2);
  const places = userPlaces(process.env);
  const sources = (flags: ConfigFlags): ConfigSources => ({
    flags,
    env: process.env,
    cwd: process.cwd(),
    uid: process.getuid?.(),
    ...places,
    // Only nodes load the code for it.
    readPolicy: async (dataDir) => (await import('@ambit/server/policy-copy')).readPolicyCopy(dataDir),
  });
  const { load, valuesOf } = configLoader();

  const onDemand = readOnDemandArguments(argv);
  if (onDemand !== undefined) {
    const { serveOnDemand } = await import('@ambit/server/app');
    const { folder, flags } = onDemand;
    const from = sources(flags);
    const found = folder === undefined ? { ...from, outsideProjects: true } : { ...from, cwd: folder };
    return serveOnDemand({
      load: () => load(found),
      valuesOf,
      environment: process.env,
      version: manifest.version,
    });
  }

  const loadConfig = (flags: ConfigFlags, more?: Pick<ConfigSources, 'outsideProjects'>) =>
    load({ ...sources(flags), ...more });
  return ambitCli({ terminal: process, loadConfig, valuesOf, useDaemon }, argv);
}
