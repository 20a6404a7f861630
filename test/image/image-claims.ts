import { deepEqual } from 'node:assert/strict';
import { type BuildContexts, buildImage, image } from './build.ts';
import { type Setup, shell, succeeded } from './setup.ts';

/** The size that the image adds to its base: Node is 121 MB of it, Python, git and Perl about 150 MB. */
const addedMegabytesMax = 330;

/** Files that an image should not contain: left by its build, or of use to an attacker alone. */
const unwanted = `-type f -perm /6000 -o -name '*.deb' -o -name '*.tgz' -o -name .npmrc -o -name .git -o -name npm
  -o -name '*.test.*' -o -path '/var/lib/apt/lists/*' -type f -o -path '/opt/*' ! -user root
  -o -path '/opt/*' -perm /022 ! -type l -o -path '/opt/*' -name '*.c'`;

/** Builds the image, and checks what is in it. */
export async function checkImage({ engine, claim }: Setup, contexts: BuildContexts): Promise<void> {
  await claim(`the image adds at most ${addedMegabytesMax} MB to its base`, async () => {
    const size = await buildImage(engine, contexts);
    const added = Math.round((size.whole - size.base) / 1e6);
    console.log(
      `        ${Math.round(size.whole / 1e6)} MB, of which the base is ${Math.round(size.base / 1e6)} MB`,
    );
    if (added > addedMegabytesMax) throw new Error(`it adds ${added} MB`);
  });
  await claim('the image has a numeric user, a volume for its data, and labels', async () => {
    const { User, Labels, Volumes, ExposedPorts } = JSON.parse(
      succeeded(await engine.run(['image', 'inspect', '--format', '{{json .Config}}', image])),
    );
    const { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': licenses } =
      Labels;
    deepEqual(
      { User, version, licenses, volumes: Object.keys(Volumes), ports: Object.keys(ExposedPorts) },
      {
        User: '10001:10001',
        version: '1.2.3',
        licenses: 'Apache-2.0',
        volumes: ['/var/lib/ambit'],
        ports: ['7433/tcp'],
      },
    );
  });
  await claim('the image has no setuid program and no file of its build', async () => {
    const found = await shell(
      engine,
      ['--user=0', '--network=none'],
      `find / -xdev \\( ${unwanted.replaceAll('\n', ' ')} \\) -print`,
    );
    deepEqual(found, '');
  });
  await claim('the user of the image can write to nothing but its data and temporary files', async () => {
    const found = await shell(
      engine,
      ['--network=none'],
      'find / -xdev -writable ! -type l -print 2>/dev/null; find /var/lib/ambit -maxdepth 0 -writable',
    );
    deepEqual([...new Set(found.trim().split('\n'))].sort(), [
      '/run/lock',
      '/tmp',
      '/var/lib/ambit',
      '/var/tmp',
    ]);
  });
}
