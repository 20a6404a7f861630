// Threat model: T169

import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution, giveTo, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { makePipes } from './support/host-python.ts';
import { answerOf, type Kind, kinds, type Question } from './support/wasm/asking.ts';
import { askingSkill } from './support/wasm/wasm-skill.ts';

const capabilities = { filesystem: { read: ['granted'], write: ['granted'] } };

const violated = (capability: string) => ({
  status: 'capability-violated',
  capability,
  detail: expect.stringMatching(/^(read|write)_file asks for /),
});
const refused = { error: expect.stringMatching(/ is not a file of the skill$/) };
const irregular = { error: expect.stringMatching(/ is not a regular file$/) };
const linkedOut = {
  error: expect.stringMatching(/(: ENOENT|: ELOOP| leads to a path that is not granted)$/),
};

interface Places {
  folder: string;
  readable: string;
  writable: string;
  data: string;
  daemon: number;
}

/** An attack on a path. It ends the call unless it has an answer. */
type Attack = [name: string, path: (places: Places) => string, answer?: unknown];

/** Paths to files that were not granted, each an argument of read_file. */
const toRead: Attack[] = [
  ['a file of the host', ({ folder }) => `${folder}/secret/file`],
  ['a file beside a granted folder, by ".."', ({ readable }) => `${readable}/../secret/file`],
  ['a folder whose name begins like a granted one', ({ readable }) => `${readable}-not/file`],
  ['two slashes before', ({ folder }) => `//${folder}/secret/file`],
  ['the host’s user accounts', () => '/etc/passwd'],
  ["the daemon's key", ({ data }) => `${data}/key`],
  ["the store with another skill's state", ({ data }) => `${data}/store.db`],
  ["another skill's folder", ({ folder }) => `${folder}/other/SKILL.md`],
  ['its own folder, by its host path', ({ folder }) => `${folder}/skills`],
  ["the host process's program", () => '/ambit/host/main.mjs'],
  ["the host process's environment", () => '/proc/self/environ'],
  ["the first process's environment", () => '/proc/1/environ'],
  ["the daemon's environment", ({ daemon }) => `/proc/${daemon}/environ`],
  ['the root of the host process', ({ folder }) => `/proc/self/root${folder}/secret/file`],
  ['a granted folder, by the root of the host process', ({ readable }) => `/proc/self/root${readable}/file`],
  ['the daemon’s messages to the host process', () => '/dev/stdin'],
  ['the memory of the host process', ({ readable }) => `${readable}/../../../../proc/self/mem`],

  ['a symlink in a granted folder that leads out', ({ readable }) => `${readable}/link-out`, linkedOut],
  ['a symlink to a folder outside', ({ readable }) => `${readable}/folder-out/file`, linkedOut],
  [
    'a symlink to the environment of the host process',
    ({ readable }) => `${readable}/link-environ`,
    linkedOut,
  ],
  ['a symlink to the program of the host process', ({ readable }) => `${readable}/link-host`, linkedOut],
  [
    'a symlink to the root of the host process, and a path below it',
    ({ readable, folder }) => `${readable}/link-root${folder}/secret/file`,
    linkedOut,
  ],
  ['a pipe with a writer', ({ readable }) => `${readable}/pipe`, irregular],
  ['a folder', ({ readable }) => `${readable}/folder`, irregular],
  ['a NUL after a granted file', ({ readable }) => `${readable}/file\0/../../secret/file`],
  [
    'percent signs',
    ({ readable }) => `${readable}/%2e%2e/secret/file`,
    { error: expect.stringMatching(/: ENOENT$/) },
  ],
  [
    'an extremely long name',
    ({ readable }) => `${readable}/${'x'.repeat(3000)}`,
    { error: expect.stringMatching(/: ENAMETOOLONG$/) },
  ],

  ['".." out of the skill folder', () => '../../secret/file', refused],
  ['".." out of the skill folder, to what is not there', () => '../../secret/none', refused],
  ['".." to the accounts of the host', () => `${'../'.repeat(20)}etc/passwd`, refused],
  ['".." out of the skill folder and back in', () => '../attacker/note', refused],
  ['its own file by an indirect path', () => './note', refused],
  ['no name', () => '', refused],
  ['the folder itself', () => '.', refused],
  ['a home folder', () => '~/.ssh/id_rsa', refused],
  ['a URL', () => 'file:///etc/passwd', refused],
  ['percent signs in the skill folder', () => '%2e%2e/%2e%2e/secret/file', refused],
  ['a NUL after its own file', () => 'note\0', refused],
  ['an extremely long relative name', () => 'x'.repeat(3000), refused],
  [
    'a symlink in the skill folder that leads out',
    () => 'link-out',
    { error: expect.stringMatching(/^link-out is a symlink or behind one/) },
  ],
];

/** Paths to files that were not granted for writing. */
const toWrite: Attack[] = [
  ['a file of the host', ({ folder }) => `${folder}/secret/file`],
  ['a file granted for reading', ({ readable }) => `${readable}/file`],
  ['a file beside a granted folder, by ".."', ({ writable }) => `${writable}/../secret/file`],
  ['its own files', () => 'note'],
  ["the daemon's key", ({ data }) => `${data}/key`],
  ["the host process's program", () => '/ambit/host/main.mjs'],
  ['a setting of the host process', () => '/proc/self/comm'],
  ['a symlink in a granted folder that leads out', ({ writable }) => `${writable}/link-out`, linkedOut],
  ['a symlink to a missing file', ({ writable }) => `${writable}/link-new`, { error: expect.any(String) }],
  ['a symlink to a folder outside', ({ writable }) => `${writable}/folder-out/new`, linkedOut],
  ['a symlink to a setting of the host process', ({ writable }) => `${writable}/link-setting`, linkedOut],
  ['a symlink to a file granted for reading', ({ writable }) => `${writable}/link-readable`, linkedOut],
  ['a pipe with a reader', ({ writable }) => `${writable}/pipe`, irregular],
  ['a NUL after a granted file', ({ writable }) => `${writable}/file\0`, { error: expect.any(String) }],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let places: Places;
  /** The reader of the pipe. */
  let reader: FileHandle;

  beforeAll(async () => {
    const { folder, program } = ground;
    const at = (path: string): string => join(folder, path);
    places = {
      folder,
      readable: at('readable'),
      writable: at('writable'),
      data: program.data,
      daemon: program.pid,
    };
    await plant(places);
    await giveTo(program.skillUser, places.writable, at('writable/file'), at('writable/pipe'));
    reader = await open(at('writable/pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  });
  afterAll(async () => {
    await reader.close();
  });

  const answerTo = async (kind: Kind, question: Question): Promise<unknown> => {
    const { folder, readable, writable } = places;
    const skill = await askingSkill(folder, kind, question, { capabilities, files: { note: 'a note' } });
    await symlink(join(folder, 'secret/file'), join(skill, 'link-out'));
    const grant = { filesystem: { read: [readable], write: [writable] } };
    return answerOf((await execution(ground.program, skill, { grant })).outcome);
  };

  const heard = async (): Promise<unknown> => reader.read(Buffer.alloc(1)).catch(({ code }) => code);

  describe.each(kinds)('a %s', (kind) => {
    test.each(toRead)('reading is refused: %s', async (_, path, expected = violated('filesystem.read')) => {
      expect({
        attack: await answerTo(kind, ['read_file', path(places)]),
        permitted: [
          await answerTo(kind, ['read_file', join(places.readable, 'file')]),
          await answerTo(kind, ['read_file', 'note']),
        ],
      }).toEqual({ attack: expected, permitted: [{ value: 'to read' }, { value: 'a note' }] });
    });

    test.each(toWrite)('writing is refused: %s', async (_, path, expected = violated('filesystem.write')) => {
      const permitted = join(places.writable, 'file');
      expect({
        attack: await answerTo(kind, ['write_file', path(places), `written by a ${kind}`]),
        permitted: await answerTo(kind, ['write_file', permitted, `written by a ${kind}`]),
        written: await readFile(permitted, 'utf8'),
        heard: await heard(),
        untouched: await Promise.all(untouched(places).map((file) => readFile(file, 'latin1'))),
      }).toEqual({
        attack: expected,
        permitted: { value: null },
        written: `written by a ${kind}`,
        heard: 'EAGAIN',
        untouched: ['a secret', 'to read', expect.stringMatching(/-memory$|^undefined/)],
      });
    });
  });
});

function untouched({ folder, readable, data }: Places): string[] {
  return [join(folder, 'secret/file'), join(readable, 'file'), join(data, 'key')];
}

async function plant({ folder, readable, writable }: Places): Promise<void> {
  const secret = join(folder, 'secret');
  for (const path of [secret, `${readable}/folder`, `${readable}-not`, writable, join(folder, 'other')]) {
    await mkdir(path, { recursive: true });
  }
  await writeFile(join(secret, 'file'), 'a secret');
  await writeFile(join(folder, 'other/SKILL.md'), 'of another skill');
  await writeFile(join(`${readable}-not`, 'file'), 'a secret');
  await writeFile(join(readable, 'file'), 'to read');
  await writeFile(join(writable, 'file'), '');
  const links: Readonly<Record<string, string>> = {
    [`${readable}/link-out`]: '../secret/file',
    [`${readable}/folder-out`]: secret,
    [`${readable}/link-environ`]: '/proc/self/environ',
    [`${readable}/link-host`]: '/ambit/host/main.mjs',
    [`${readable}/link-root`]: '/proc/self/root',
    [`${writable}/link-out`]: '../secret/file',
    [`${writable}/link-new`]: join(secret, 'new'),
    [`${writable}/folder-out`]: secret,
    [`${writable}/link-setting`]: '/proc/self/comm',
    [`${writable}/link-readable`]: join(readable, 'file'),
  };
  for (const [path, target] of Object.entries(links)) await symlink(target, path);
  await makePipes(join(readable, 'pipe'), join(writable, 'pipe'));
}
