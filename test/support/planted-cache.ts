import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The user of planted files, if the tests may change owners. */
const otherUser = 65534;

/**
 * A shared temporary folder in which another user has planted compiled code for `file`, a CommonJS module: Node with the
 * compile cache of that folder runs `code` in place of the module.
 */
export async function folderWithPlantedCache(file: string, code: string): Promise<string> {
  const shared = await mkdtemp(join(tmpdir(), 'ambit-shared-'));
  onTestFinished(() => rm(shared, { recursive: true, force: true }));
  await chmod(shared, 0o777);
  const genuine = await readFile(file, 'utf8');
  if (code.length > genuine.length) throw new Error(`${file} is too short`);
  const ofGenuine = await compiled(file, join(shared, 'genuine'));
  await writeFile(file, code.padEnd(genuine.length));
  const ofCode = await compiled(file, join(shared, 'of-code'));
  await writeFile(file, genuine);
  // The header: a magic number, the size of the source, the size of the compiled code, and the hashes of both, each 32 bits.
  const planted = Buffer.concat([
    ...[ofGenuine.bytes.subarray(0, 8), ofCode.bytes.subarray(8, 12)],
    ...[ofGenuine.bytes.subarray(12, 16), ofCode.bytes.subarray(16)],
  ]);
  const place = join(shared, 'node-compile-cache', ofGenuine.version);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, ofGenuine.name), planted);
  if (process.getuid?.() === 0)
    for (const path of [shared, join(shared, 'node-compile-cache'), place, join(place, ofGenuine.name)])
      await chown(path, otherUser, otherUser);
  return shared;
}

/** Returns the files that Node stores of a module in an empty folder for compiled code. */
async function compiled(
  file: string,
  folder: string,
): Promise<{ version: string; name: string; bytes: Buffer }> {
  execFileSync(process.execPath, [file], {
    stdio: 'ignore',
    env: { NODE_COMPILE_CACHE: folder },
  });
  const [version = ''] = await readdir(folder);
  const [name = '', ...others] = await readdir(join(folder, version));
  if (others.length > 0) throw new Error(`${file} loads other modules`);
  return { version, name, bytes: await readFile(join(folder, version, name)) };
}
