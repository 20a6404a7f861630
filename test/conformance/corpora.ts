/**
 * Imports real data of wreckit, agentium and iSDLC into a temporary folder and compares figures
 * with known ones. Exits with 1 if one differs. The data is not part of this repository.
 *
 *   node test/conformance/corpora.ts <folder with wreckit/, agentium/ and isdlc/>
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  agentIndex,
  composePrompt,
  type Selection,
  type Skill,
  selectSkills,
} from '../../packages/core/src/index.ts';
import { availableSkillsIndex } from '../../packages/core/src/prompt.ts';
import {
  exportSkills,
  type ImportKind,
  type ImportReport,
  importSkills,
} from '../../packages/migrate/src/index.ts';
import { folderCatalog } from '../../packages/runtime/src/index.ts';

interface Figure {
  what: string;
  known: unknown;
  found: unknown;
}

interface Corpus {
  report: ImportReport;
  skills: readonly Skill[];
}

const corpora = resolve(process.argv[2] ?? '.');
const temporary = await mkdtemp(join(tmpdir(), 'ambit-corpora-'));
try {
  const figures = [
    ...(await wreckit()),
    ...(await agentium()),
    ...(await isdlc()),
    ...(await wholeManifest()),
  ];
  const wrong = figures.filter(({ known, found }) => JSON.stringify(known) !== JSON.stringify(found));
  for (const { what, known, found } of figures) {
    const isRight = JSON.stringify(known) === JSON.stringify(found);
    console.log(
      `${isRight ? 'ok   ' : 'WRONG'}  ${what}: ${JSON.stringify(found)}${isRight ? '' : `, expected ${JSON.stringify(known)}`}`,
    );
  }
  console.log(`${figures.length} figures, ${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await rm(temporary, { recursive: true, force: true });
}

async function imported(kind: ImportKind, place: string): Promise<Corpus> {
  const out = join(temporary, place.replace(/\W/g, '-'));
  const report = await importSkills({ kind, from: join(corpora, place), out });
  const catalog = folderCatalog([{ path: out, tier: 'local' }]);
  const broken = await catalog.broken();
  if (broken.length > 0) throw new Error(`broken: ${JSON.stringify(broken)}`);
  return { report, skills: await catalog.list() };
}

/** The tools of wreckit's phases, which include all that its harness needs. */
function effectiveTools({ report: { settings }, skills }: Corpus): Figure[] {
  const known = {
    research: 'Read Write Glob Grep',
    plan: 'Read Write Edit Glob Grep mcp__wreckit__save_prd',
    implement: 'Read Write Edit Glob Grep Bash mcp__wreckit__update_story_status',
    pr: 'Read Glob Grep Bash',
  };
  return Object.entries(known).map(([phase, tools]) => ({
    what: `wreckit: tools of ${phase}`,
    known: tools,
    found: [selectSkills({ ...settings, skills }, { phase }).tools.allowed].flat().join(' '),
  }));
}

/** A header and two lines per skill of an agent. */
function indexLines({ report: { settings }, skills }: Corpus): Figure[] {
  const known = {
    'software-developer': 29,
    'sdlc-orchestrator': 25,
    'requirements-analyst': 23,
    'quality-loop-engineer': 25,
  };
  return Object.entries(known).map(([agent, lines]) => ({
    what: `iSDLC: lines of the index of ${agent}`,
    known: lines,
    found: availableSkillsIndex(agentIndex({ ...settings, skills }, agent))
      .trimEnd()
      .split('\n').length,
  }));
}

async function wreckit(): Promise<Figure[]> {
  const corpus = await imported('wreckit', 'wreckit/skills.json');
  const { report, skills } = corpus;
  const context = skills.flatMap(({ sidecar }) => sidecar.context);
  const paths = context.flatMap((each) => (each.type === 'file' ? [each.path] : []));
  const fresh = await imported('wreckit', 'wreckit/new_skills.json');
  return [
    { what: 'wreckit: skills', known: 49, found: skills.length },
    { what: 'wreckit: phases', known: 8, found: Object.keys(report.settings.phases).length },
    {
      what: 'wreckit: skills without a phase',
      known: 7,
      found: skills.filter(({ sidecar }) => sidecar.phases.includes('on-request')).length,
    },
    {
      what: 'wreckit: context requirements, files, folders',
      known: [59, 38, 9],
      found: [context.length, paths.length, paths.filter((path) => path.endsWith('/')).length],
    },
    ...effectiveTools(corpus),
    { what: 'wreckit: left out', known: 0, found: leftOut(report) },
    {
      what: 'wreckit, new skills: skills, lines about dangling ids',
      known: [10, 42],
      found: [fresh.skills.length, leftOut(fresh.report)],
    },
  ];
}

function leftOut({ lines }: ImportReport): number {
  return lines.filter(({ kind }) => kind === 'left-out').length;
}

async function agentium(): Promise<Figure[]> {
  const { report, skills } = await imported('agentium', 'agentium');
  const sizes = {
    PLAN: 16_423,
    IMPLEMENT: 17_833,
    DOCS: 13_876,
    VERIFY: 13_812,
    PLAN_REVIEW: 14_081,
    IMPLEMENT_REVIEW: 16_416,
    JUDGE: 12_846,
    NOBODYS: 9_174,
  };
  const selected = (phase?: string): Selection => selectSkills({ skills }, { phase });
  const named = (phase: string): string[] =>
    selected(phase).skills.map(({ skill }) => skill.manifest.metadata['agentium-name'] ?? '');
  return [
    { what: 'agentium: skills', known: 16, found: skills.length },
    { what: 'agentium: left out', known: 0, found: leftOut(report) },
    {
      what: 'agentium: tools of each phase',
      known: 'all',
      found: [...new Set(Object.values(report.settings.phases).map(({ tools }) => tools))].join(),
    },
    ...Object.entries(sizes).map(([phase, bytes]) => ({
      what: `agentium: bytes of ${phase}`,
      known: bytes,
      found: composedBytes(selected(phase)),
    })),
    { what: 'agentium: bytes of everything', known: 40_664, found: composedBytes(selected()) },
    {
      what: 'agentium: IMPLEMENT',
      known: ['scope', 'workflow', 'safety', 'environment', 'status_signals', 'implement', 'test'],
      found: named('IMPLEMENT'),
    },
    {
      what: 'agentium: code_reviewer in DOCS_REVIEW',
      known: false,
      found: named('DOCS_REVIEW').includes('code_reviewer'),
    },
    { what: 'agentium: files exported byte for byte', known: 16, found: await sameFiles(skills) },
  ];
}

function composedBytes(selection: Selection): number {
  const { prompt } = composePrompt({ systemPrompt: '', selection, disclosure: 'bodies', format: 'plain' });
  return Buffer.byteLength(prompt);
}

async function sameFiles(skills: readonly Skill[]): Promise<number> {
  const out = join(temporary, 'agentium-back');
  const { written } = await exportSkills({
    kind: 'agentium',
    skills,
    settings: { phases: {}, agents: {} },
    out,
  });
  const same = await Promise.all(
    written
      .filter((path) => path.endsWith('.md'))
      .map(async (path) =>
        (await readFile(join(out, path))).equals(await readFile(join(corpora, 'agentium', path))),
      ),
  );
  return same.filter(Boolean).length;
}

async function isdlc(): Promise<Figure[]> {
  const corpus = await imported('isdlc', 'isdlc');
  const { report, skills } = corpus;
  const known = {
    'software-developer': 14,
    'sdlc-orchestrator': 12,
    'requirements-analyst': 11,
    'quality-loop-engineer': 12,
  };
  return [
    { what: 'iSDLC: skills', known: 49, found: skills.length },
    {
      what: 'iSDLC: ids without a file',
      known: 246 - 49,
      found: report.lines.filter(({ text }) => text.includes('no SKILL.md has this id')).length,
    },
    ...Object.entries(known).map(([agent, count]) => ({
      what: `iSDLC: skills of ${agent}`,
      known: count,
      found: report.settings.agents[agent]?.skills?.length,
    })),
    ...indexLines(corpus),
    {
      what: 'iSDLC: skills without a description',
      known: 0,
      found: skills.filter(({ manifest }) => manifest.description === '').length,
    },
  ];
}

/** Measures iSDLC's whole manifest: a skill that has no file in the data gets a short one. */
async function wholeManifest(): Promise<Figure[]> {
  const from = join(temporary, 'isdlc-from');
  await cp(join(corpora, 'isdlc'), from, { recursive: true });
  const { lines } = await importSkills({ kind: 'isdlc', from, out: join(temporary, 'none'), dryRun: true });
  for (const { about, text } of lines) {
    if (!text.includes('no SKILL.md has this id')) continue;
    await mkdir(join(from, 'skills/others', about), { recursive: true });
    await writeFile(
      join(from, 'skills/others', about, 'SKILL.md'),
      `---\nname: ${about.toLowerCase()}\ndescription: What ${about} does\nskill_id: ${about}\n---\n`,
    );
  }
  const out = join(temporary, 'isdlc-out');
  const { settings, written } = await importSkills({ kind: 'isdlc', from, out });
  const catalog = folderCatalog([{ path: out, tier: 'local' }]);
  const indexMs = async (): Promise<number> => {
    const startedAt = performance.now();
    availableSkillsIndex(agentIndex({ ...settings, skills: await catalog.list() }, 'software-developer'));
    return performance.now() - startedAt;
  };
  const first = await indexMs();
  // Files that were just written are read again.
  const later = Math.min(await indexMs(), await indexMs(), await indexMs());
  await catalog.close();
  return [
    {
      what: 'iSDLC, whole manifest: agents, skills',
      known: [41, 246],
      found: [Object.keys(settings.agents).length, written.length],
    },
    {
      what: `iSDLC, whole manifest: an index in under 100 ms (the first: ${Math.round(first)} ms)`,
      known: true,
      found: later < 100,
    },
  ];
}
