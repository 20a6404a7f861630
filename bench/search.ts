import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { skillSearch } from '../packages/core/src/select.ts';
import { folderCatalog } from '../packages/runtime/src/index.ts';
import { laterRequests, type SearchRequest, searchRequests } from './search-requests.ts';

const firstMax = 5;

/**
 * The search of `list_skills` and `GET /skills?q=` over published skills: how many requests find a right skill among the
 * first five, and what a search and its index cost. The environment variable `AMBIT_SEARCH_SKILLS` names the folder that
 * `search-corpus.ts` wrote; without it, the part only prints how to write one.
 */
export async function searchBench(_: string, rounds: number): Promise<void> {
  const { AMBIT_SEARCH_SKILLS: path = '' } = process.env;
  if (!isAbsolute(path) || !existsSync(path)) {
    console.log(
      'search: set AMBIT_SEARCH_SKILLS to the absolute path of a folder that bench/search-corpus.ts wrote\n',
    );
    return;
  }
  const catalog = folderCatalog([{ path, tier: 'untrusted' }]);
  const skills = await catalog.list();
  await catalog.close();

  const before = memoryBytes();
  const search = skillSearch();
  const indexMs = cpuMs(() => search.rank(skills, 'pdf'));
  const indexBytes = memoryBytes() - before;

  const all = [...searchRequests, ...laterRequests];
  const times = Array.from({ length: Math.min(rounds, 20) }, () =>
    all.map(({ request }) => cpuMs(() => search.rank(skills, request))),
  ).flat();
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    `${(times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`;

  const found = ({ request, accepted }: SearchRequest) =>
    search
      .rank(skills, request)
      .slice(0, firstMax)
      .some(({ id }) => accepted.includes(id));
  for (const [name, requests] of Object.entries({ searchRequests, laterRequests })) {
    const missed = requests.filter((request) => !found(request)).map(({ request }) => request);
    console.log(
      `  ${name}: ${requests.length - missed.length} of ${requests.length} have a right skill among the first ${firstMax} of ${skills.length}`,
    );
    for (const request of missed) console.log(`    missed: ${request}`);
  }
  console.log(`  CPU time of a search: ${at(0.5)} (p99 ${at(0.99)}); target: at most 20 ms`);
  console.log(`  CPU time of indexing all skills: ${indexMs.toFixed(0)} ms`);
  console.log(`  index: ${(indexBytes / 1e6).toFixed(1)} MB; target: at most 10 MB\n`);
}

function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function memoryBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
