// Threat model: T49

import { closeSync, existsSync, writeSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts';
import { hasCgroups } from '../../../testing/has-cgroups.ts';
import { availableMemoryBytes } from './available-memory.ts';
import { type CgroupLayout, cgroupLayouts } from './cgroup-layout.ts';
import { cgroupLimits } from './cgroup-limits.ts';

const line = (root: string, place: string, type: string, options: string): string =>
  `36 25 0:31 ${root} ${place} rw,nosuid shared:9 - ${type} ${type} ${options}`;

const v1 = [
  line('/', '/sys/fs/cgroup/memory', 'cgroup', 'rw,memory'),
  line('/', '/sys/fs/cgroup/pids', 'cgroup', 'rw,pids'),
  line('/', '/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'rw,cpu,cpuacct'),
].join('\n');
const ownV1 = '5:memory:/a/b\n4:cpu,cpuacct:/\n3:pids:/a\n0::/ignored\n';

describe('cgroupLayouts', () => {
  test('version 1 has a hierarchy for each controller', () => {
    expect(cgroupLayouts(v1, ownV1)).toMatchObject([
      {
        name: 'cgroup v1',
        parents: {
          memory: '/sys/fs/cgroup/memory/a/b',
          processes: '/sys/fs/cgroup/pids/a',
          cpu: '/sys/fs/cgroup/cpu,cpuacct/',
        },
      },
    ]);
  });

  test('version 2 has one folder for all controllers, even if only a part of the tree is mounted', () => {
    const place = '/sys/fs/cgroup/unit.scope';
    const mounts = line('/user.slice', '/sys/fs/cgroup', 'cgroup2', 'rw');
    expect(cgroupLayouts(mounts, '0::/user.slice/unit.scope\n')).toMatchObject([
      { name: 'cgroup v2', parents: { memory: place, processes: place, cpu: place } },
    ]);
  });

  test('version 2 comes before version 1', () => {
    const both = `${v1}\n${line('/', '/sys/fs/cgroup/unified', 'cgroup2', 'rw')}`;
    expect(cgroupLayouts(both, ownV1).map(({ name }) => name)).toEqual(['cgroup v2', 'cgroup v1']);
  });

  test('there is no layout if a controller is missing', () => {
    expect(cgroupLayouts(v1.split('\n').slice(0, 2).join('\n'), ownV1)).toEqual([]);
  });
});

test('CPU time is in milliseconds, from microseconds in version 2 and nanoseconds in version 1', () => {
  const both = `${v1}\n${line('/', '/sys/fs/cgroup/unified', 'cgroup2', 'rw')}`;
  const [second, first] = cgroupLayouts(both, ownV1);
  expect(second?.cpuMs('usage_usec 1500\nuser_usec 1000\n')).toBe(1.5);
  expect(second?.cpuMs('nothing')).toBe(null);
  expect(first?.cpuMs('2500000\n')).toBe(2.5);
});

test('cgroups that cannot be written are not used', () => {
  expect(cgroupLimits(cgroupLayouts(line('/', '/proc/self', 'cgroup2', 'rw'), '0::/\n'))).toBeUndefined();
});

test('under version 2 the daemon moves into a leaf, delegates the controllers and limits each run and all of them', async () => {
  // A tree of ordinary files shows what is written where, without a kernel that has version 2's
  // controllers.
  const root = await temporaryFolder();
  await mkdir(join(root, 'own'), { recursive: true });
  await writeFile(join(root, 'own/cgroup.subtree_control'), '');
  const limits = cgroupLimits(cgroupLayouts(line('/', root, 'cgroup2', 'rw'), '0::/own\n'));
  const [name = ''] = (await readdir(join(root, 'own'))).filter((each) => each.startsWith('ambit-'));
  const own = join(root, 'own', name);
  const cgroup = limits?.open({ memoryBytes: 1000, processes: 7 });
  for (const entry of cgroup?.openEntryFiles() ?? []) {
    writeSync(entry, '0');
    closeSync(entry);
  }
  expect(cgroup?.bind()).toBe('bound');
  expect(limits?.limitAll(4096)).toBe(true);
  const written = Object.fromEntries(
    await Promise.all(
      [
        'daemon/cgroup.procs',
        'cgroup.subtree_control',
        'runs/cgroup.subtree_control',
        'runs/memory.max',
        'runs/run-1/memory.max',
        'runs/run-1/pids.max',
        'runs/run-1/cgroup.procs',
      ].map(async (path) => [path, await readFile(join(own, path), 'utf8')]),
    ),
  );
  expect(written).toEqual({
    'daemon/cgroup.procs': String(process.pid),
    'cgroup.subtree_control': '+memory +pids +cpu',
    'runs/cgroup.subtree_control': '+memory +pids +cpu',
    'runs/memory.max': '4096',
    'runs/run-1/memory.max': '1000',
    'runs/run-1/pids.max': '9',
    'runs/run-1/cgroup.procs': '0',
  });
  await writeFile(join(own, 'runs/run-1/memory.peak'), '900\n');
  await writeFile(join(own, 'runs/run-1/cpu.stat'), 'usage_usec 2000\n');
  await writeFile(join(own, 'runs/run-1/memory.events'), 'low 0\noom 1\noom_kill 2\n');
  expect(cgroup?.usage()).toEqual({ cpuMs: 2, memoryPeakBytes: 900, outOfMemory: true });
});

describe('memory and swap under version 1', () => {
  const memorySwapFile = 'memory.memsw.limit_in_bytes';
  const layoutV1 = cgroupLayouts().find(({ name }) => name === 'cgroup v1');

  test('memory and swap share one limit if the kernel counts swap; otherwise memory alone is limited', async () => {
    const root = await temporaryFolder();
    const layout = cgroupLayouts(
      line('/', root, 'cgroup', 'rw,memory,pids,cpuacct'),
      '1:memory,pids,cpuacct:/\n',
    );
    const limits = cgroupLimits(layout);
    const [name = ''] = await readdir(root);
    for (const run of ['run-1', 'run-2']) {
      const cgroup = limits?.open({ memoryBytes: 1000, processes: 7 });
      if (run === 'run-2') await writeFile(join(root, name, run, memorySwapFile), 'unlimited');
      expect(cgroup?.bind()).toBe('bound');
      expect(await readFile(join(root, name, run, 'memory.limit_in_bytes'), 'utf8')).toBe('1000');
    }
    expect(await readdir(join(root, name, 'run-1'))).not.toContain(memorySwapFile);
    expect(await readFile(join(root, name, 'run-2', memorySwapFile), 'utf8')).toBe('1000');
  });

  const isCounted = layoutV1 !== undefined && existsSync(join(layoutV1.parents.memory, memorySwapFile));
  test.skipIf(!hasCgroups || !isCounted)(
    'memory and swap share one limit in a real cgroup (needs writable cgroups of version 1)',
    async () => {
      const layout = layoutV1 as CgroupLayout;
      const before = new Set(await readdir(layout.parents.memory));
      const limits = cgroupLimits([layout]);
      const own = (await readdir(layout.parents.memory)).filter(
        (name) => !before.has(name) && name.includes(`-${process.pid}-`),
      );
      const cgroup = limits?.open({ memoryBytes: 64 * 1024 * 1024, processes: 7 });
      try {
        expect(cgroup?.bind()).toBe('bound');
        const bound = await readFile(
          join(layout.parents.memory, own[0] ?? '', 'run-1', memorySwapFile),
          'utf8',
        );
        expect(Number(bound)).toBe(64 * 1024 * 1024);
        expect(limits?.limitAll(128 * 1024 * 1024)).toBe(true);
        const all = join(layout.parents.memory, own[0] ?? '', 'memory.limit_in_bytes');
        expect(Number(await readFile(all, 'utf8'))).toBe(128 * 1024 * 1024);
      } finally {
        await cgroup?.close();
        limits?.close();
      }
    },
  );
});

test('only cgroups of killed daemons in the same pid namespace are removed', async () => {
  const root = await temporaryFolder();
  for (const name of ['memory', 'pids', 'cpu']) await mkdir(join(root, name));
  const mounts = [
    line('/', join(root, 'memory'), 'cgroup', 'rw,memory'),
    line('/', join(root, 'pids'), 'cgroup', 'rw,pids'),
    line('/', join(root, 'cpu'), 'cgroup', 'rw,cpuacct'),
  ].join('\n');
  const layouts = cgroupLayouts(mounts, '3:memory:/\n2:pids:/\n1:cpuacct:/\n');
  const first = cgroupLimits(layouts);
  const [own = ''] = await readdir(join(root, 'memory'));
  const namespace = own.split('-')[1];
  const [gone, elsewhere] = [`ambit-${namespace}-999999999-ff`, 'ambit-1-999999999-ff'];
  for (const name of [gone, elsewhere, 'somebody-else']) await mkdir(join(root, 'memory', name));
  cgroupLimits(layouts);
  const left = await readdir(join(root, 'memory'));
  expect(left).toHaveLength(4);
  expect(left).toEqual(expect.arrayContaining([own, elsewhere, 'somebody-else']));
  expect(() => first?.open({ memoryBytes: 1, processes: 1 })).not.toThrow();
});

test('the available memory is the least of the machine and every cgroup around the process', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'a/b/c'), { recursive: true });
  const layouts = () => cgroupLayouts(line('/', root, 'cgroup2', 'rw'), '0::/a/b/c\n');
  expect(availableMemoryBytes(layouts())).toBe(totalmem());
  await writeFile(join(root, 'a/b/c/memory.max'), 'max\n');
  await writeFile(join(root, 'a/b/memory.max'), '8000000\n');
  await writeFile(join(root, 'a/memory.max'), '9000000\n');
  expect(availableMemoryBytes(layouts())).toBe(8_000_000);
  const first = cgroupLayouts(
    line('/', root, 'cgroup', 'rw,memory,pids,cpuacct'),
    '1:memory,pids,cpuacct:/a\n',
  );
  await writeFile(join(root, 'a/memory.limit_in_bytes'), '7000000\n');
  await writeFile(join(root, 'memory.limit_in_bytes'), '9223372036854771712\n');
  expect(availableMemoryBytes([...first, ...layouts()])).toBe(7_000_000);
});
