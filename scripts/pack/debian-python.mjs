import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build, debianVersion, installedKilobytes, place, program } from './debian-build.mjs';

const run = promisify(execFile);

/**
 * Makes the Debian package of the Python interpreter from the tarball of `@ambit/python`, as `packDebian` does.
 * @param {string} tarball
 * @returns {Promise<string>}
 */
export async function packDebianPython(tarball) {
  const staged = await mkdtemp(join(tmpdir(), 'ambit-debian-'));
  try {
    const folder = join(staged, program, 'node_modules/@ambit/python');
    await mkdir(folder, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
    await place(join(folder, 'NOTICES'), staged, 'usr/share/doc/ambit-python/copyright');
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    await mkdir(join(staged, 'DEBIAN'));
    await writeFile(join(staged, 'DEBIAN/control'), await pythonControlOf(staged, version));
    const file = join(dirname(tarball), `ambit-python_${version}_all.deb`);
    await build(staged, file);
    return file;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/**
 * @param {string} staged
 * @param {string} version
 */
async function pythonControlOf(staged, version) {
  return `Package: ambit-python
Version: ${debianVersion(version)}
Architecture: all
Maintainer: Ambit <ambit@localhost>
Installed-Size: ${await installedKilobytes(staged)}
Depends: ambit (= ${debianVersion(version)})
Section: admin
Priority: optional
Description: Python in WebAssembly for Ambit
 With it, Ambit runs the Python scripts of unapproved skills, within limits
 for fuel, memory and time.
`;
}
