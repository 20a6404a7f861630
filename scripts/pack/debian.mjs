import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { installPinned, isVerified } from '../bootstrap/pinned-packages.mjs';
import { nodePackage } from '../bootstrap/versions.mjs';
import { build, debianVersion, installedKilobytes, place, program } from './debian-build.mjs';
import { noticesOf } from './notices.mjs';
import { root } from './root.mjs';
import { installedFolder } from './sbom.mjs';

const run = promisify(execFile);

/** The most kilobytes of the package: a file too many should be noticed. */
const maxKilobytes = 50_000;

const command = `${program}/node_modules/@ambit/cli`;
const documentation = 'usr/share/doc/ambit';

/**
 * The paths at which files of packaging/ are installed; the last value is the mode of a program.
 * @type {readonly [string, string, number?][]}
 */
const packaged = [
  ['debian/ambit', 'usr/bin/ambit', 0o755],
  ['debian/ambit.config.yaml', 'etc/ambit/ambit.config.yaml'],
  ['systemd/ambit.service', 'usr/lib/systemd/system/ambit.service'],
  ['systemd/ambit@.service', 'usr/lib/systemd/system/ambit@.service'],
  ['systemd/ambit.sysusers', 'usr/lib/sysusers.d/ambit.conf'],
  ['systemd/ambit.sysctl', 'usr/lib/sysctl.d/60-ambit.conf'],
  ['debian/postinst', 'DEBIAN/postinst', 0o755],
  ['debian/prerm', 'DEBIAN/prerm', 0o755],
  ['debian/postrm', 'DEBIAN/postrm', 0o755],
];

/** Files of dependencies that only compilers, browsers and other platforms read. */
const unused = [
  /\.(?:map|d\.[mc]?ts|gyp)$/,
  /^(?:deps|src)$/,
  /^prebuilds\/(?!linux-x64\.)/,
  /^dist\/(?:browser|bun|cjs)$/,
];

/**
 * Makes the Debian package of the service from the tarball of `@ambit/cli`, in the folder of the tarball. It contains Node
 * and what the command depends on, in the versions that the tests run with. The same commit makes the same bytes. Needs
 * `dpkg-deb`. Resolves to its path.
 * @param {string} tarball
 * @param {string} [version] of the package; by default Ambit's
 * @returns {Promise<string>}
 */
export async function packDebian(tarball, version) {
  const staged = await mkdtemp(join(tmpdir(), 'ambit-debian-'));
  try {
    const manifest = await stage(staged, tarball);
    const released = version ?? manifest.version;
    await writeFile(join(staged, 'DEBIAN/control'), await controlOf(staged, released));
    const file = join(dirname(tarball), `ambit_${released}_amd64.deb`);
    await build(staged, file);
    const { size } = await stat(file);
    if (size > maxKilobytes * 1000)
      throw new Error(
        `${file} is ${Math.ceil(size / 1000)} kB, above its limit of ${maxKilobytes} kB. List it with dpkg-deb --contents. Remove unexpected files, or raise the limit in scripts/pack/debian.mjs`,
      );
    return file;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/**
 * Copies all files of the package. Resolves to the manifest of the command.
 * @param {string} staged
 * @param {string} tarball
 * @returns {Promise<{ version: string, dependencies: Record<string, string> }>}
 */
async function stage(staged, tarball) {
  await mkdir(join(staged, command), { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(staged, command)]);
  const manifest = JSON.parse(await readFile(join(staged, command, 'package.json'), 'utf8'));
  const dependencies = Object.keys(manifest.dependencies).map((name) => ({
    name,
    folder: installedFolder(name),
  }));
  for (const { name, folder } of dependencies)
    await cp(folder, join(staged, program, 'node_modules', name), {
      recursive: true,
      filter: (path) => !unused.some((pattern) => pattern.test(relative(folder, path))),
    });
  const node = await pinnedNode();
  await place(join(node, 'bin/node'), staged, `${program}/bin/node`, 0o755);
  for (const [from, to, mode] of packaged) await place(join(root, 'packaging', from), staged, to, mode);
  await writeFile(join(staged, 'DEBIAN/conffiles'), '/etc/ambit/ambit.config.yaml\n');
  await place(join(root, 'CHANGELOG.md'), staged, `${documentation}/CHANGELOG.md`);
  await symlink(relative(`/${documentation}`, `/${command}/docs`), join(staged, documentation, 'docs'));
  const texts = [
    await readFile(join(root, 'LICENSE'), 'utf8'),
    await readFile(join(node, 'LICENSE'), 'utf8'),
    await noticesOf(dependencies.map(({ folder }) => relative(root, folder))),
    await readFile(join(staged, command, 'NOTICES'), 'utf8'),
  ];
  await writeFile(join(staged, documentation, 'copyright'), texts.join(`\n${'='.repeat(80)}\n`));
  return manifest;
}

/**
 * The folder of the pinned Node for the package, whichever Node runs this.
 * @returns {Promise<string>}
 */
async function pinnedNode() {
  const pinned = nodePackage({ platform: 'linux', arch: 'x64', musl: false });
  if (pinned === undefined) throw new Error('no Node is pinned for linux-x64');
  const candidates = ['.toolchain', '.toolchain/debian'].map((folder) => join(root, folder));
  const found = candidates.find((folder) => isVerified(join(folder, 'node_modules'), pinned));
  const folder = found ?? join(root, '.toolchain/debian');
  if (found === undefined) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await installPinned(folder, [pinned]);
  }
  return join(folder, 'node_modules', pinned.name);
}

/**
 * @param {string} staged
 * @param {string} version
 */
async function controlOf(staged, version) {
  // Node needs these versions of the libraries: `objdump -T` lists them.
  return `Package: ambit
Version: ${debianVersion(version)}
Architecture: amd64
Maintainer: Ambit <ambit@localhost>
Installed-Size: ${await installedKilobytes(staged)}
Depends: bubblewrap, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10), systemd-standalone-sysusers | systemd (>= 250)
Recommends: python3, git, ca-certificates
Section: admin
Priority: optional
Description: runtime for the skills of AI agents
 Runs skills in a sandbox, with only the capabilities that you grant, and
 records every call in a log that can be verified.
 .
 This package has the daemon as a service of systemd, the ambit command, and
 the Node that runs both.
`;
}
