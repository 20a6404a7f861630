// Threat model: T337

import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { httpClient } from '../support/mcp-client.ts';

const KiB = 1024;

const notes = 'ä'.repeat(200 * KiB);
const instructions = `# Long\n\n${'x'.repeat(300 * KiB)}\n\nThe end.\n`;
const skillFile = `---\nname: long\ndescription: A long one.\n---\n${instructions}`;

const daemon = sharedDaemon(async (root) => {
  await writeSkills(root, {
    large: pythonSkill('open("large.txt", "w").write("0123456789" * 40000); print(1)', {
      input: { type: 'object' },
      capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
    }),
    long: { 'SKILL.md': skillFile, 'references/notes.md': notes },
    tells: pythonSkill('print("careful", file=sys.stderr); print(1)'),
    tagged: {
      'SKILL.md': '---\nname: tagged\ndescription: Has many tags.\n---\nNotes.\n',
      'ambit.yaml': JSON.stringify({ tags: Array.from({ length: 40 }, (_, index) => `tag-${index}`) }),
    },
  });
  return { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
});

function textsOf({ content }: CallToolResult): string[] {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
}

test('a file omitted from an answer can be read from a workspace with the same bytes', async () => {
  const client = await httpClient(daemon());
  const call = async (name: string, given: Record<string, unknown>) =>
    textsOf(await client.callTool({ name, arguments: given }));
  expect(await call('large', {})).toEqual([
    '1',
    'The run created "large.txt", text, 400000 bytes in its own folder. Its content is left out.',
    '[left out: the contents of one file. A result over MCP has at most 262144 bytes of a file and 1048576 of all files. To get them, repeat the call in a workspace (create_workspace creates one), and read them there with read_workspace_file]',
  ]);
  const { id: workspace } = JSON.parse((await call('create_workspace', {}))[0] ?? '');
  await call('large', { ambit_workspace: workspace });
  const part = (offset: number) =>
    call('read_workspace_file', { workspace, path: 'large.txt', offset, length: 256 * KiB });
  const [first, said] = await part(0);
  expect(said).toBe('["large.txt": 262144 bytes from offset 0, of 400000; to continue, use offset 262144]');
  const [second, end] = await part(256 * KiB);
  expect(end).toBe('["large.txt": 137856 bytes from offset 262144, of 400000; this is the end]');
  expect(`${first}${second}`).toBe('0123456789'.repeat(40_000));
});

test('instructions and files longer than an answer can be read with an offset', async () => {
  const client = await httpClient(daemon());
  const call = async (name: string, given: Record<string, unknown>) =>
    textsOf(await client.callTool({ name, arguments: { name: 'long', ...given } }));
  const readThrough = async (path: string) => {
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const [part = '', said = ''] = await call('read_skill_file', { path, offset });
      text += part;
      const next: string | undefined = /to continue, use offset (\d+)\]$/.exec(said)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    return text;
  };
  expect(await readThrough('references/notes.md')).toBe(notes);
  const [loaded = ''] = await call('load_skill', {});
  expect(loaded).toContain(
    '[cut: the instructions are longer than one result. read_skill_file with the path SKILL.md and an offset reads the rest]',
  );
  expect(loaded).not.toContain('The end.');
  expect(await readThrough('SKILL.md')).toBe(skillFile);
});

test("an answer includes the skill's log, and a list of skills counts the omitted tags", async () => {
  const client = await httpClient(daemon());
  expect(textsOf(await client.callTool({ name: 'tells', arguments: { input: 1 } }))).toEqual([
    '1',
    '[log]\ncareful\n',
  ]);
  const [listed = ''] = textsOf(await client.callTool({ name: 'list_skills', arguments: { tag: 'tag-39' } }));
  expect(JSON.parse(listed).skills).toMatchObject([{ name: 'tagged', tagsLeftOut: 8 }]);
});
