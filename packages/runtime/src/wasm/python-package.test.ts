// Threat model: T192

import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { pythonPackage } from './python-package.ts';

test('the installed package has a version, a digest, a licence and a source, and is the one that Ambit uses', () => {
  expect(pythonPackage()).toEqual({
    folder: expect.stringMatching(/\/packages\/python$/),
    version: '3.11.2',
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    license: 'PSF-2.0',
    source: 'Debian python3.11 3.11.2-6+deb12u8',
    problem: undefined,
  });
});

test.each(['python.wasm.br', 'stdlib.zip.br'])(
  'a package whose %s was changed is not used, and the problem names the file',
  async (name) => {
    const folder = await temporaryFolder();
    await cp(pythonPackage()?.folder as string, folder, { recursive: true });
    const path = join(folder, 'package.json');
    expect(pythonPackage(path)?.problem).toBe(undefined);
    const bytes = await readFile(join(folder, name));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(join(folder, name), bytes);
    expect(pythonPackage(path)?.problem).toBe(
      `0.1.0 in ${folder} is not the one that this version of Ambit was tested with: ${name} differs`,
    );
  },
);

test.each(['python.wasm.br', 'stdlib.zip.br'])(
  'a package without its %s is not used, and the problem is why',
  async (name) => {
    const folder = await temporaryFolder();
    await cp(pythonPackage()?.folder as string, folder, { recursive: true });
    await rm(join(folder, name));
    expect(pythonPackage(join(folder, 'package.json'))).toEqual({
      folder,
      version: '',
      digest: '',
      license: '',
      source: '',
      problem: `in ${folder} cannot be read: ENOENT: no such file or directory, open '${join(folder, name)}'`,
    });
  },
);
