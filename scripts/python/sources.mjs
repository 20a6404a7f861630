// Debian's sources of the interpreter, each file with the digest that packages/python/sources.json pins.
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Fetches and unpacks the sources, with Debian's patches. Returns the folder of each.
 *
 * @param {string} packageFolder
 * @param {string} folder
 * @returns {Promise<Record<'python' | 'zlib' | 'sqlite', string>>}
 */
export async function unpackSources(packageFolder, folder) {
  /** @type {{ sources: Record<string, { package: string, version: string, files: Record<string, string>, patches?: string[] }> }} */
  const { sources } = JSON.parse(await readFile(join(packageFolder, 'sources.json'), 'utf8'));
  /** @type {Record<string, string>} */
  const unpacked = {};
  for (const [name, source] of Object.entries(sources)) {
    const at = join(folder, name);
    unpacked[name] = at;
    if (await isThere(at)) continue;
    const fetched = join(folder, `${name}-source`);
    await mkdir(fetched, { recursive: true });
    await fetchSource(`${source.package}=${source.version}`, fetched);
    for (const [file, digest] of Object.entries(source.files)) {
      const found = createHash('sha256')
        .update(await readFile(join(fetched, file)))
        .digest('hex');
      if (found !== digest) throw new Error(`${file} has the digest ${found}, not ${digest}`);
    }
    const description = Object.keys(source.files).find((file) => file.endsWith('.dsc'));
    await run('dpkg-source', ['-q', '--extract', description ?? '', at], { cwd: fetched });
    for (const patch of source.patches ?? [])
      await run('patch', ['-p1', '-i', join(packageFolder, patch)], { cwd: at });
  }
  return /** @type {Record<'python' | 'zlib' | 'sqlite', string>} */ (unpacked);
}

/**
 * Fetches a source package from where this machine gets its packages. Most machines do not list sources, so this
 * reads the same archives with lists of its own.
 *
 * @param {string} source
 * @param {string} folder
 */
async function fetchSource(source, folder) {
  const lists = join(folder, 'apt');
  await mkdir(join(lists, 'lists', 'partial'), { recursive: true });
  await mkdir(join(lists, 'parts'), { recursive: true });
  const own = await readFile('/etc/apt/sources.list.d/debian.sources', 'utf8');
  await writeFile(join(lists, 'parts', 'sources.sources'), own.replaceAll(/^Types:.*$/gm, 'Types: deb-src'));
  const options = [
    ...['-o', 'Dir::Etc::SourceList=/dev/null', '-o', `Dir::Etc::SourceParts=${join(lists, 'parts')}`],
    ...['-o', `Dir::State::Lists=${join(lists, 'lists')}`, '-o', 'APT::Sandbox::User=root', '-q'],
  ];
  await run('apt-get', [...options, 'update'], { cwd: folder });
  await run('apt-get', [...options, 'source', '--download-only', source], { cwd: folder });
}

/** @param {string} path */
function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
