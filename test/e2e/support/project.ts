import { join } from 'node:path';
import { expect } from 'vitest';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A project, and `ambit` in it. The arguments `configArgs` name its configuration, which then needs no trust. */
export async function project(config: object) {
  const cwd = await temporaryFolder({ 'ambit.config.yaml': JSON.stringify(config) });
  const configArgs = ['--config', join(cwd, 'ambit.config.yaml')];
  const run = (...args: readonly string[]) => ambit([...configArgs, ...args], { cwd });
  return {
    cwd,
    configArgs,
    run,
    async json(...args: readonly string[]) {
      const { code, stdout, stderr } = await run('--json', ...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
      return JSON.parse(stdout);
    },
    /** The code of the refusal. */
    async refusal(...args: readonly string[]) {
      const { code, stderr } = await run('--json', ...args);
      return [code, JSON.parse(stderr).error.code];
    },
  };
}
