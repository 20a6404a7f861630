import { UsageError } from '@ambit/core/outcome';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readIsdlc } from '../import/isdlc/read-isdlc.ts';
import { readAgentium } from '../import/read-agentium.ts';
import type { Contents } from '../import/skill/imported.ts';
import { readWreckit } from '../import/wreckit/read-wreckit.ts';
import { asLoaded, invalid } from '../testing/as-loaded.ts';
import type { ExportContent, ExportSource } from './exported.ts';
import { writeAgentium } from './write-agentium.ts';
import { writeIsdlc } from './write-isdlc.ts';
import { writeWreckit } from './write-wreckit.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const words = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 :#'"{}&*!|>%@,-]{0,30}$/);
const name = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/);
const phases = fc.uniqueArray(fc.constantFrom('plan', 'implement', 'docs', 'media'), { maxLength: 3 });

function files({ files: written }: ExportContent): Map<string, string> {
  return new Map(written.map((file) => [file.path, file.text]));
}

function reader(written: ReadonlyMap<string, string>): (path: string) => Promise<string> {
  return async (path) => {
    const found = written.get(path);
    if (found === undefined) throw new UsageError('does not exist');
    return found;
  };
}

/** Without metadata about how the source was written. */
function said({ skills, phases: its, agents }: ExportSource): unknown {
  return { phases: its, agents, skills: skills.map(({ skill }) => skill) };
}

describe('skills stay the same when imported, exported and imported again', () => {
  test('from wreckit', () => {
    const context = fc.oneof(
      fc.record({ type: fc.constant('git_status'), description: words }),
      fc.record({ type: fc.constantFrom('file', 'phase_artifact'), path: name }),
    );
    const skill = fc.record({
      id: fc.oneof(
        name,
        text.filter((id) => id !== ''),
      ),
      name: text,
      description: text,
      tools: fc.array(words),
      mcp_servers: fc.dictionary(name, fc.record({ command: text })),
      required_context: fc.array(context, { maxLength: 3 }),
    });
    const document = fc.uniqueArray(skill, { selector: ({ id }) => id, maxLength: 5 }).chain((skills) =>
      fc.record({
        skills: fc.constant(skills),
        phase_skills: fc.dictionary(
          fc.constantFrom('plan', 'pr', 'media'),
          fc.subarray(skills.map(({ id }) => id)),
        ),
      }),
    );
    fc.assert(
      fc.property(document, (given) => {
        const first = readWreckit(JSON.stringify(given));
        expect(invalid(first)).toEqual([]);
        const exported = writeWreckit(asLoaded(first));
        const second = readWreckit(files(exported).get('skills.json') ?? '');
        expect(said(asLoaded(second))).toEqual(said(asLoaded(first)));
        expect(exported.lines.filter(({ kind }) => kind !== 'to-do')).toEqual([]);
      }),
    );
  });

  test('from agentium', async () => {
    const entry = fc.record({
      name: fc.oneof(
        name,
        text.filter((each) => each !== ''),
      ),
      priority: fc.integer({ min: -1000, max: 1000 }),
      phases,
      version: fc.constantFrom(undefined, '1.2.0', '2', 2, 'next', '1.10'),
      body: fc.oneof(
        text,
        fc.array(fc.oneof(words, fc.constantFrom('---', '', '```', '# A'))).map((all) => all.join('\n')),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(entry, { selector: (each) => each.name, maxLength: 5 }),
        fc.constantFrom(undefined, '1.2.0', 2, 'next'),
        async (entries, version) => {
          const manifest = {
            version,
            skills: entries.map(({ body: _body, ...each }, index) => ({ ...each, file: `${index}.md` })),
          };
          const given = new Map(entries.map(({ body }, index) => [`${index}.md`, body]));
          const first = await readAgentium(JSON.stringify(manifest), reader(given));
          expect(invalid(first)).toEqual([]);
          const written = files(writeAgentium(asLoaded(first)));
          for (const [path, body] of given) expect(written.get(path)).toBe(body);
          const second = await readAgentium(written.get('manifest.yaml') ?? '', reader(written));
          expect(bySkill(second)).toEqual(bySkill(first));
        },
      ),
    );
  });

  test('from iSDLC', async () => {
    const skill = fc.record({
      name,
      id: fc.stringMatching(/^[A-Z]{2,4}-[0-9]{3}$/),
      description: words,
      body: words,
    });
    const own = fc.uniqueArray(skill, {
      selector: ({ name: its }) => its,
      comparator: 'SameValue',
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(own, async (skills) => {
        const distinct = [...new Map(skills.map((each) => [each.id, each])).values()];
        const manifest = { ownership: { builder: { skills: distinct.map(({ id }) => id) } } };
        const first = await readIsdlc({
          manifest: JSON.stringify(manifest),
          isYaml: false,
          external: undefined,
          skillFiles: distinct.map((each, index) => ({
            folder: `skills/${each.name}`,
            text: `---\nname: ${each.name}\nskill_id: ${each.id}\nversion: 1.0.${index}\ndescription: ${JSON.stringify(each.description)}\nproject: ${JSON.stringify(each.body)}\ndependencies: [${distinct[index - 1]?.id ?? ''}]\n---\n${each.body}\n`,
            files: [],
          })),
          readFile: reader(new Map()),
        });
        expect(invalid(first)).toEqual([]);
        const exported = writeIsdlc(asLoaded(first));
        expect(exported.lines).toEqual([]);
        expect(said(asLoaded(await readBack(exported)))).toEqual(said(asLoaded(first)));
      }),
    );
  });
});

function bySkill(imported: Contents): unknown {
  return Object.fromEntries(imported.skills.map(({ id, skillMd, sidecar }) => [id, { skillMd, sidecar }]));
}

function readBack(exported: ExportContent): Promise<Contents> {
  const written = files(exported);
  return readIsdlc({
    manifest: written.get('skills-manifest.json') ?? '',
    isYaml: false,
    external: written.get('external-skills-manifest.json'),
    skillFiles: [...written]
      .filter(([path]) => path.endsWith('/SKILL.md'))
      .map(([path, content]) => ({ folder: path.replace(/\/SKILL\.md$/, ''), text: content, files: [] })),
    readFile: reader(written),
  });
}

test('exports external skills of iSDLC with their bindings', async () => {
  const bindings = {
    phases: ['build'],
    agents: ['builder'],
    injection_mode: 'always',
    delivery_type: 'reference',
  };
  const first = await readIsdlc({
    manifest: '{"ownership":{}}',
    isYaml: false,
    external: JSON.stringify({
      skills: [{ name: 'Nest JS', file: 'x/nest.md', description: 'Nest.', bindings }],
    }),
    skillFiles: [],
    readFile: async () => '# Nest\n',
  });
  const exported = writeIsdlc(asLoaded(first));
  expect(files(exported).get('external-skills-manifest.json')).toBe(
    `${JSON.stringify({ skills: [{ name: 'Nest JS', file: 'x/nest.md', description: 'Nest.', bindings }] }, null, 2)}\n`,
  );
  expect(said(asLoaded(await readBack(exported)))).toEqual(said(asLoaded(first)));
});

test('reports each property that a format cannot store, once', async () => {
  const first = await readIsdlc({
    manifest: '{"ownership":{"builder":{"skills":["B-1"]}}}',
    isYaml: false,
    external: undefined,
    skillFiles: [
      {
        folder: 'a',
        text: '---\nname: a\ndescription: A.\nlicense: MIT\nskill_id: B-1\nversion: 1.0.0\n---\ntext\n',
        files: [{ path: 'references/x.md', from: '/x' }],
      },
    ],
    readFile: async () => '',
  });
  const about = 'a';
  const none = (format: string, what: string) => ({
    kind: 'left-out',
    about,
    text: `has ${what}, which ${format} cannot store`,
  });
  expect(writeIsdlc(asLoaded(first)).lines).toEqual([none('iSDLC', 'another file')]);
  expect(writeWreckit(asLoaded(first)).lines).toEqual([
    ...['agents', 'version', 'license', 'another file'].map((what) => none('wreckit', what)),
    { kind: 'changed', about, text: 'applies to every phase and is listed in each' },
    { kind: 'left-out', about, text: 'does not list its tools, which wreckit reads as no tools' },
    none('wreckit', 'a body'),
  ]);
  expect(writeAgentium(asLoaded(first)).lines).toEqual([
    ...['agents', 'license', 'another file'].map((what) => none('agentium', what)),
    none('agentium', 'a description'),
    {
      kind: 'left-out',
      about: 'agents',
      text: 'of the configuration have no counterpart in agentium: builder',
    },
  ]);
});
