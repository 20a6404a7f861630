import { join } from 'node:path';
import type { Claims } from '../support/claims.ts';
import { repository } from '../support/daemon-process.ts';
import { image } from './build.ts';
import { documentedOptions } from './documented.ts';
import type { Ended, Engine } from './engine.ts';

/** The parts that every check gets. */
export interface Setup {
  engine: Engine;
  /** The folder that containers get as `/etc/ambit`. */
  configuration: string;
  claim: Claims['claim'];
}

/** Ambit's seccomp profile. */
export const seccompProfile = join(repository, 'packaging/seccomp.json');

/** A seccomp profile instead of Ambit's, `null` for the engine's own; and whether parts of /proc stay hidden. */
interface Changes {
  profile?: string | null;
  hidesProc?: boolean;
}

/** The documented options for this engine, without a network. */
export async function options(
  { engine, configuration }: Pick<Setup, 'engine'> & Partial<Setup>,
  { profile = seccompProfile, hidesProc = false }: Changes = {},
): Promise<string[]> {
  const inPlaceOf: Readonly<Record<string, readonly string[]>> = {
    'seccomp=packaging/seccomp.json': profile === null ? [] : [`seccomp=${profile}`],
    'systempaths=unconfined': hidesProc ? [] : [engine.unmask],
  };
  const documented = await documentedOptions();
  const changed = documented.flatMap((word, at) => {
    if (word === '--security-opt') return [];
    if (documented[at - 1] !== '--security-opt') return word;
    return (inPlaceOf[word] ?? [word]).flatMap((option) => ['--security-opt', option]);
  });
  const mount = configuration === undefined ? [] : ['-v', `${configuration}:/etc/ambit:ro`];
  return ['--network=none', ...changed, ...mount];
}

/** Runs shell commands in a new container, which must succeed. Resolves to its stdout. */
export async function shell(engine: Engine, given: readonly string[], script: string): Promise<string> {
  return succeeded(await engine.run(['run', '--rm', ...given, '--entrypoint', 'sh', image, '-c', script]));
}

/** The stdout of a command that must succeed. */
export function succeeded({ code, stdout, stderr }: Ended): string {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
  return stdout;
}
