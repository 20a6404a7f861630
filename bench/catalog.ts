import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delayed } from 'node:timers/promises';
import type { folderCatalog as FolderCatalog } from '../packages/runtime/src/index.ts';
import { bundleInto } from '../scripts/bundle.mjs';
import { type Contender, compare, formatTable } from './compare.ts';

const count = 10_000;

/**
 * Ten thousand skills: loaded, stored by an earlier start, scanned again, and with one of them edited,
 * compared with bare loops over the same files.
 */
export async function catalogBench(folder: string, rounds: number): Promise<void> {
  const folderCatalog = await bundledCatalog(join(folder, 'bundle'));
  const root = join(folder, 'skills');
  const files = writeSkills(root);
  const roots = [{ path: root, tier: 'local' as const }];

  const heapBefore = heapBytes();
  const catalogInUse = folderCatalog(roots);
  const expectAll = async (catalog: typeof catalogInUse): Promise<void> => {
    const found = (await catalog.list()).length;
    if (found !== count) throw new Error(`the catalog has ${found} skills`);
  };
  const cold: [Contender, Contender] = [
    { name: 'bare loop: lstat and read', run: async () => readAll(files) },
    {
      name: 'catalog, cold',
      async run() {
        const catalog = folderCatalog(roots);
        await expectAll(catalog);
        await catalog.close();
      },
    },
  ];
  const { counted, printCpu } = cpuCounter();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const delays: string[] = [];
  const measured = (contender: Contender): Contender => ({
    ...contender,
    async run() {
      delay.reset();
      delay.enable();
      await contender.run();
      delay.disable();
      delays.push(`${ms(delay.percentile(99))} (at most ${ms(delay.max)})`);
    },
  });
  console.log(
    formatTable(
      `${count} skills, cold`,
      await compare([counted(cold[0]), counted(measured(cold[1]))], Math.min(rounds, 5)),
    ),
  );
  printCpu();
  console.log(
    `  delay of the daemon's event loop, p99: ${delays.slice(1).join(', ')}; target: at most 2 s cold\n`,
  );

  const cache = { file: join(folder, 'skills.cache'), key: 'a key', program: 'bench' };
  const first = folderCatalog(roots, cache);
  await expectAll(first);
  // It stores the skills after a while.
  while (!existsSync(cache.file)) await delayed(100);
  await first.close();
  const second: [Contender, Contender] = [
    cold[0],
    {
      name: 'catalog, second start',
      async run() {
        const catalog = folderCatalog(roots, cache);
        await expectAll(catalog);
        await catalog.close();
      },
    },
  ];
  console.log(
    formatTable(
      `${count} skills, stored by an earlier start`,
      await compare(second.map(counted), Math.min(rounds, 10)),
    ),
  );
  printCpu();
  console.log(`  the cache has ${(statSync(cache.file).size / 1e6).toFixed(0)} MB\n`);

  await expectAll(catalogInUse);
  const heapAfter = heapBytes();
  delays.length = 0;
  let edits = 0;
  const warm: Contender[] = [
    { name: 'bare loop: lstat', run: async () => statAll(root, files) },
    measured({ name: 'catalog, unchanged', run: () => expectAll(catalogInUse) }),
    {
      name: 'catalog, one edited',
      async prepare() {
        edits += 1;
        writeFileSync(join(root, 'skill-7/ambit.yaml'), `priority: ${edits}\n`);
      },
      async run() {
        const edited = (await catalogInUse.list()).find(({ id }) => id === 'skill-7');
        if (edited?.sidecar.priority !== edits) throw new Error('the edit was not detected');
      },
    },
  ];
  console.log(formatTable(`${count} skills, again`, await compare(warm, Math.min(rounds, 30))));
  console.log(
    `  delay of the daemon's event loop, p99: ${delays.at(-1)}; target: at most 100 ms when unchanged`,
  );
  console.log(`  in memory: ${((heapAfter - heapBefore) / 1e6).toFixed(0)} MB for ${count} skills\n`);
  await catalogInUse.close();
}

/** `folderCatalog` from a bundle, as in a daemon: threads that run the sources take much longer to start. */
async function bundledCatalog(folder: string): Promise<typeof FolderCatalog> {
  const skills = 'packages/runtime/src/skills';
  await bundleInto(folder, { inputs: [`${skills}/folder-catalog.ts`, `${skills}/scan/scanning-program.ts`] });
  return (await import(join(folder, 'folder-catalog.mjs'))).folderCatalog;
}

/** The CPU time of all threads, which other work on the machine changes less than the elapsed time. */
function cpuCounter(): { counted(contender: Contender): Contender; printCpu(): void } {
  const times = new Map<string, number[]>();
  return {
    counted: (contender) => ({
      ...contender,
      async run() {
        const before = process.cpuUsage();
        await contender.run();
        const { user, system } = process.cpuUsage(before);
        const its = times.get(contender.name) ?? [];
        times.set(contender.name, [...its, (user + system) / 1000]);
      },
    }),
    printCpu() {
      const medians = [...times].map(
        ([name, its]) => [name, its.sort((a, b) => a - b)[its.length >> 1] ?? Number.NaN] as const,
      );
      const [, baseline = Number.NaN] = medians[0] ?? [];
      for (const [name, cpuMs] of medians)
        console.log(`  CPU time, ${name}: ${cpuMs.toFixed(0)} ms, ${(cpuMs / baseline).toFixed(2)} ×`);
      times.clear();
    },
  };
}

/** Writes two files per skill and returns their paths. */
function writeSkills(root: string): string[] {
  return Array.from({ length: count }, (_, at) => {
    const folder = join(root, `skill-${at}`);
    mkdirSync(folder, { recursive: true });
    const [skill, sidecar] = [join(folder, 'SKILL.md'), join(folder, 'ambit.yaml')];
    const body = 'Follow these steps in order, and say what you did.\n'.repeat(20);
    writeFileSync(
      skill,
      `---\nname: skill-${at}\ndescription: Does thing number ${at}; use it when a document needs that.\nlicense: MIT\nmetadata:\n  author: bench\n---\n# Skill ${at}\n\n${body}`,
    );
    writeFileSync(
      sidecar,
      `version: 1.${at % 10}.0\nphases: [${['plan', 'implement', 'test'][at % 3]}]\npriority: ${at % 100}\ntags: [data, t${at % 7}]\nagents: [agent-${at % 20}]\ntools: [Read, Grep]\n`,
    );
    return [skill, sidecar];
  }).flat();
}

function readAll(files: readonly string[]): void {
  for (const file of files) {
    lstatSync(file);
    readFileSync(file);
  }
}

function statAll(root: string, files: readonly string[]): void {
  for (let at = 0; at < count; at++) lstatSync(join(root, `skill-${at}`));
  for (const file of files) lstatSync(file);
}

function heapBytes(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed;
}

function ms(nanoseconds: number): string {
  return `${(nanoseconds / 1e6).toFixed(1)} ms`;
}
