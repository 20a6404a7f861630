// Threat model: T174, T182, T183, T185, T283, T319

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome, Tier } from '../../packages/core/src/execute.ts';
import { execution, giveTo, stage } from './support/attacker.ts';
import { attackScripts, callers, firstCaller } from './support/callers.ts';
import { webServers } from './support/egress/servers.ts';
import type { CallHost } from './support/protocol.ts';
import { askingSkill, wasmSkill } from './support/wasm/wasm-skill.ts';

const MiB = 1024 * 1024;
const takenOver: CallHost = { program: join(attackScripts, 'hosts/taken-over.mjs') };

const lost: Outcome = {
  status: 'failed',
  failure: { trap: expect.stringMatching(/^.{1,2000}$/s) },
  stderr: '',
};
const timedOut = { status: 'timed-out', timeoutMs: 1000 } as const;

/** The messages that end by a limit on memory or time, which differs by the user who runs the daemon. */
const exhausting = [
  'bytes that are not a frame',
  'a body of a terabyte',
  'endless requests',
  'an endless log',
  'endless output on stderr',
];

/** Messages of a compromised host process, and the result of the call. */
const misbehaviours: [part: string, outcome: unknown][] = [
  ...[
    'bytes that are not a frame',
    'a header of four gigabytes',
    'a header that is not JSON',
    'a header that is null',
    'a header that is a list',
    'an extremely nested header',
    'a header with too many values',
    'a body of a terabyte',
    'a body of negative length',
    'a body length that is not a number',
    'a body longer than the output limit',
    'an unknown type',
    'a type that is not a string',
    'an end without a verdict',
    'an unknown verdict',
    'a verdict from the prototype',
    'fuel that is a string',
    'negative memory',
    'more uses than a host lists',
    'a use that is not a number',
    'a use of a megabyte',
    'a trap of a megabyte',
    'a refusal without a message',
    'an answer before its pending one',
    'endless requests',
    'a file of a workspace',
    "a command's stdout in a call that answers with JSON",
    'an end of its process',
  ].map((part): [string, unknown] => [part, lost]),
  ['an endless log', timedOut],
  ['endless output on stderr', timedOut],
  ['half of a frame, and then nothing', timedOut],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller, async () => ({
    env: { AMBIT_SECRET: 'not granted', GRANTED_NAME: 'granted value' },
  }));
  let skill: string;
  const servers = webServers({ loopback: {} });

  beforeAll(async () => {
    for (const folder of ['secret', 'readable']) {
      await mkdir(join(ground.folder, folder));
      const file = join(ground.folder, folder, 'file');
      await writeFile(file, `in ${folder}`);
      // Accessible to its user, so that only the sandbox can refuse.
      await giveTo(ground.program.skillUser, file);
    }
    skill = await wasmSkill(ground.folder, 'index.js', 'export default (input) => input', {
      files: { large: 'x'.repeat(8 * MiB), note: 'a note' },
    });
  });

  const call = async (
    given: object,
    host?: CallHost,
    { tier = 'local', limits = {} }: { tier?: Tier; limits?: object } = {},
  ): Promise<Outcome> => {
    const narrowing = { limits };
    const called = await execution(ground.program, skill, { given, tier, narrowing, ...(host && { host }) });
    return called.outcome;
  };
  const honest = async (tier?: Tier): Promise<unknown> => {
    const outcome = await call({ part: 'honest' }, takenOver, tier && { tier });
    return outcome.status === 'succeeded' ? outcome.output : outcome;
  };

  // The daemon judges the content of a message the same way for every user who runs it.
  test.each(
    firstCaller.includes(caller)
      ? misbehaviours
      : misbehaviours.filter(([part]) => exhausting.includes(part)),
  )('the daemon ends a compromised host process that sends %s', async (part, outcome) => {
    const before = (await honest()) as { id: string };
    const startedBefore = ground.program.needed().hosts;
    const limits = outcome === timedOut ? { timeoutMs: timedOut.timeoutMs } : {};
    expect(await call({ part }, takenOver, { limits })).toEqual(outcome);
    expect(await honest()).toEqual({ id: expect.not.stringMatching(before.id), calls: 1 });
    expect(ground.program.needed().hosts).toBeGreaterThan(startedBefore);
  });

  test.each<[part: string, outcome: unknown, files?: unknown]>([
    ['a file of a workspace', { status: 'succeeded', output: 1 }, ['a']],
    ['a file outside its workspace', lost],
    ['the same file twice', lost],
    ['an output of the maximum size', { status: 'succeeded', output: 111_111 }, []],
    ['an output that is one byte too large', lost],
  ])('the daemon checks %s from a host process in a call with a workspace', async (part, outcome, files) => {
    const command = await wasmSkill(ground.folder, 'skill.wasm', '\0asm\u0001\0\0\0', {
      capabilities: { filesystem: { write: ['workspace'] } },
      limits: { outputBytes: 6 },
    });
    const called = await execution(ground.program, command, {
      given: { part, outputBytes: 6 },
      host: takenOver,
    });
    expect([called.outcome, called.files?.map(({ path }) => path)]).toEqual([outcome, files]);
  });

  test.each(['an end, and a second one for the call after', 'an end of its process after an answer'])(
    'after %s of a host process, the next call gets its own answer or none',
    async (part) => {
      const outcome = await call({ part }, takenOver);
      const answers = [outcome.status === 'succeeded' ? outcome.output : outcome, await honest()];
      expect(answers).toEqual([
        { id: expect.any(String), calls: expect.any(Number) },
        // A process that exits by itself may do so just when it gets a call.
        expect.toBeOneOf([
          { id: expect.any(String), calls: 1 },
          { status: 'failed', failure: { trap: expect.any(String) }, stderr: '' },
        ]),
      ]);
    },
  );

  test('compromised hosts cannot make the daemon’s memory grow', () => {
    expect(ground.program.needed().residentBytes).toBeLessThan(512 * MiB);
  });

  test('requests of a compromised host process are checked against the grant', async () => {
    const questions = [
      ['state_get', 'key'],
      ['state_set', 'key', 1],
      ['recall_memory', ''],
      ['read_file', '../../secret/file'],
      ['read_file', '/etc/passwd'],
      ['write_file', '/etc/passwd', ''],
      ['env', 'AMBIT_SECRET'],
      ['exec', 'id'],
      ['constructor'],
      ['skill_file', '../../secret/file'],
      ['skill_file', '/etc/passwd'],
      ['read_file', 'note'],
    ];
    const nothing = (name: string) => ({ message: `unknown host function ${name}` });
    expect(await call({ part: 'asks', questions }, takenOver)).toEqual({
      status: 'succeeded',
      output: [
        { violated: { capability: 'state', detail: 'state_get needs state: read', item: 'read' } },
        { violated: { capability: 'state', detail: 'state_set needs state: write', item: 'write' } },
        { value: [] },
        { message: '../../secret/file is not a file of the skill' },
        { message: '/etc/passwd is not a file of the skill' },
        nothing('write_file'),
        nothing('env'),
        nothing('exec'),
        nothing('constructor'),
        { message: '../../secret/file is not a file of the skill' },
        { message: '/etc/passwd is not a file of the skill' },
        { value: null, body: 'value', text: 'a note', bytes: 6 },
      ].map((answer) => ({ type: 'answer', bytes: 0, ...answer })),
    });
  });

  test('a compromised host process finds nothing of the host', async () => {
    const readable = join(ground.folder, 'readable/file');
    const granted = await wasmSkill(ground.folder, 'index.js', 'export default 1', {
      capabilities: { filesystem: { read: ['granted'] }, env: ['GRANTED_NAME'] },
    });
    const { outcome } = await execution(ground.program, granted, {
      given: {
        part: 'looks around',
        secret: join(ground.folder, 'secret/file'),
        beside: join(granted, 'SKILL.md'),
        readable,
        port: servers.loopback.port,
      },
      grant: { filesystem: { read: [readable] }, env: ['GRANTED_NAME'] },
      host: takenOver,
    });
    expect({ outcome, heard: servers.loopback.connections() }).toEqual({
      outcome: {
        status: 'succeeded',
        output: {
          env: { PWD: '/' },
          root: expect.not.arrayContaining(['home', 'root', 'srv', 'var', 'work']),
          received: {
            env: { GRANTED_NAME: 'granted value' },
            context: { executionId: null, skill: { id: 'attacker', version: null }, caller: {} },
          },
          secret: 'ENOENT',
          beside: 'ENOENT',
          written: 'EROFS',
          own: 'EROFS',
          connected: 'ECONNREFUSED',
          readable: 'in readable',
        },
      },
      heard: 0,
    });
  });

  test('a host process that believes everything was granted finds only mounted files', async () => {
    const { folder, program } = ground;
    const readable = join(folder, 'readable/file');
    const host: CallHost = { grantedPaths: ['/'] };
    const ends = [];
    for (const [question, file] of [
      ['read_file', join(folder, 'secret/file')],
      ['read_file', join(program.data, 'key')],
      ['write_file', join(folder, 'secret/file')],
      ['write_file', readable],
      ['read_file', readable],
    ] as const) {
      const asks = await askingSkill(folder, 'script', [question, file, 'written'], {
        capabilities: { filesystem: { read: ['granted'] } },
      });
      const grant = { filesystem: { read: [readable] } };
      ends.push((await execution(program, asks, { grant, host })).outcome);
    }
    const output = (value: unknown) => ({ status: 'succeeded', output: value });
    const error = (code: RegExp) => output({ error: expect.stringMatching(code) });
    expect(ends).toEqual([
      error(/: ENOENT$/),
      error(/: ENOENT$/),
      error(/: (ENOENT|EROFS)$/),
      error(/: EROFS$/),
      output({ value: 'in readable' }),
    ]);
  });

  test('skills of different tiers never share a host process', async () => {
    const tiers: Tier[] = ['local', 'verified', 'untrusted'];
    const ids: string[] = [];
    for (const tier of [...tiers, ...tiers]) ids.push(((await honest(tier)) as { id: string }).id);
    expect(new Set(ids).size).toBeGreaterThanOrEqual(tiers.length);
    for (const [index, id] of ids.entries()) {
      // The same process only for the same tier.
      expect(ids.every((other, at) => other !== id || at % tiers.length === index % tiers.length)).toBe(true);
    }
    const [first, second] = [await honest('local'), await honest('local')] as { id: string }[];
    expect(first?.id).toBe(second?.id);
  });
});
