import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { docxFile, docxParts, docxSkill, openDocx } from '../support/docx.ts';
import { type Era, httpClient, stdioClient, textOf } from '../support/mcp-client.ts';

/** Connects a client. */
type Connect = () => Promise<Client>;

let config: object;

const daemon = sharedDaemon(async (root) => {
  await writeSkills(root, { docx: docxSkill });
  config = { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
  return config;
});

const overHttp =
  (era: Era): Connect =>
  () =>
    httpClient(daemon(), era);

/** `ambit mcp` with a data directory. */
async function overStdio(era: Era, dataDir = daemon().dataDir): Promise<Client> {
  const file = join(await temporaryFolder(), 'ambit.config.yaml');
  await writeFile(file, JSON.stringify({ ...config, dataDir }));
  return stdioClient(file, era);
}

/** Calls a tool, which must succeed, and returns its text. */
async function called(client: Client, name: string, given: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: given });
  expect(result.isError, textOf(result)).toBeUndefined();
  return textOf(result);
}

async function newWorkspace(client: Client, wish: Record<string, unknown> = {}): Promise<string> {
  return JSON.parse(await called(client, 'create_workspace', wish)).id;
}

/** Reads a file part by part, like a model. */
async function readThrough(client: Client, workspace: string, path: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = 0; ; ) {
    const result = await client.callTool({
      name: 'read_workspace_file',
      arguments: { workspace, path, offset },
    });
    const [part, said] = result.content;
    if (part?.type !== 'text' || said?.type !== 'text') throw new Error(textOf(result));
    parts.push(Buffer.from(part.text));
    const next = /to continue, use offset (\d+)\]$/.exec(said.text)?.[1];
    if (next === undefined) return Buffer.concat(parts);
    offset = Number(next);
  }
}

async function resourceBytes(client: Client, uri: string): Promise<Buffer> {
  const [content] = (await client.readResource({ uri })).contents;
  if (content === undefined) throw new Error('a resource without contents');
  return 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64');
}

const connections: [name: string, connect: Connect][] = [
  ['over HTTP, in the protocol of 2026', overHttp('modern')],
  ['over stdio, in a session of 2025', () => overStdio('legacy')],
];

/** The same connections in the other protocol. */
const otherConnections: typeof connections = [
  ['over HTTP, in a session of 2025', overHttp('legacy')],
  ['over stdio, in the protocol of 2026', () => overStdio('modern')],
];

describe.each(isWhole ? [...connections, ...otherConnections] : connections)('%s', (_, connect) => {
  test('a Word document is unpacked, read, edited, packed, validated and downloaded intact', async () => {
    const paragraphs = Array.from({ length: 5000 }, (_unused, index) => `Absatz ${index}: Grüße, 10 € 😀.`);
    const parts = docxParts(paragraphs);
    const document = parts['word/document.xml'] as string;
    const client = await connect();
    const workspace = await newWorkspace(client, { label: 'report' });
    const script = (name: string, ...args: string[]) => ({ name: 'docx', script: name, args, workspace });
    const original = docxFile(parts);
    expect(
      await called(client, 'write_workspace_file', {
        workspace,
        path: 'report.docx',
        base64: original.toString('base64'),
      }),
    ).toBe(`Created "report.docx", ${original.length} bytes.`);

    const sizes = Object.entries(parts).map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, original.length);
    expect(await called(client, 'run_skill_script', script('unpack.py', 'report.docx', 'parts'))).toBe(
      [
        'unpacked 3 parts\n',
        `The run changed workspace ${workspace}, which now has ${total} bytes:`,
        ...sizes.map(({ path, bytes }) => `- created "parts/${path}", text, ${bytes} bytes`),
        `Read them with read_workspace_file, or as the resources workspace://${workspace}/PATH.`,
      ].join('\n'),
    );
    expect(JSON.parse(await called(client, 'list_workspaces', { workspace }))).toMatchObject({
      id: workspace,
      label: 'report',
      usedBytes: total,
      fileCount: 4,
      files: [
        ...sizes.map(({ path, bytes }) => ({ path: `parts/${path}`, bytes })),
        { path: 'report.docx', bytes: original.length },
      ],
    });

    const path = 'parts/word/document.xml';
    const at = Buffer.from(document.slice(0, document.indexOf('Absatz 2500:'))).length;
    expect(
      await called(client, 'read_workspace_file', {
        workspace,
        path,
        offset: at,
        length: 'Absatz 2500:'.length,
      }),
    ).toBe(
      `Absatz 2500:\n["${path}": 12 bytes from offset ${at}, of ${Buffer.byteLength(document)}; to continue, use offset ${at + 12}]`,
    );
    expect(document.length).toBeGreaterThan(256 * 1024);
    expect((await readThrough(client, workspace, path)).equals(Buffer.from(document))).toBe(true);

    const edit = async (oldText: string, newText: string) => {
      const edits = [{ oldText, newText }];
      return called(client, 'edit_workspace_file', { workspace, path, edits });
    };
    const oldText = 'Absatz 2500: Grüße, 10 € 😀.';
    const edited = (newText: string) => document.replace(oldText, () => newText);
    expect(await edit(oldText, 'Kosten & Nutzen: $& €.')).toBe(
      `Edited "${path}", now ${Buffer.byteLength(edited('Kosten & Nutzen: $& €.'))} bytes.`,
    );
    const pack = script('pack.py', 'parts', 'edited.docx');
    const validate = script('validate.py', 'edited.docx');
    expect(await called(client, 'run_skill_script', pack)).toMatch(
      /^packed edited\.docx\n\nThe run changed workspace .*:\n- created "edited\.docx", binary, /,
    );
    const broken = await client.callTool({ name: 'run_skill_script', arguments: validate });
    expect([broken.isError, textOf(broken)]).toEqual([
      true,
      expect.stringMatching(/^word\/document\.xml: not well-formed \(invalid token\): line 2503, /),
    ]);
    await edit('Kosten & Nutzen: $& €.', 'Kosten &amp; Nutzen: $1 €.');
    expect(await called(client, 'run_skill_script', pack)).toContain('- changed "edited.docx", binary, ');
    expect(await called(client, 'run_skill_script', validate)).toBe(
      `edited.docx is valid\n\nThe run changed nothing in workspace ${workspace}.`,
    );

    const taken = await resourceBytes(client, `workspace://${workspace}/edited.docx`);
    expect(openDocx(taken)).toEqual({
      ...parts,
      'word/document.xml': edited('Kosten &amp; Nutzen: $1 €.'),
    });
  });

  test('a file of several MiB can be read as a resource by ranges with the same bytes', async () => {
    const client = await connect();
    const workspace = await newWorkspace(client);
    const content = Buffer.alloc(2_500_000, docxFile({ 'a.xml': '<a/>' }).toString('latin1'), 'latin1');
    const path = 'a b/large.bin';
    await called(client, 'write_workspace_file', { workspace, path, base64: content.toString('base64') });
    const uri = `workspace://${workspace}/a%20b/large.bin`;
    const whole = client.readResource({ uri });
    await expect(whole).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(
        `the file has 2500000 bytes, and a response at most 1048576; read it in ranges, starting with ${uri}?offset=0&length=1048576`,
      ),
    });
    const MiB = 1024 * 1024;
    const ranges = await Promise.all(
      [0, MiB, 2 * MiB].map((offset) => resourceBytes(client, `${uri}?offset=${offset}&length=${MiB}`)),
    );
    expect(Buffer.concat(ranges).equals(content)).toBe(true);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining([
        'workspace://{workspace}/{+path}',
        'workspace://{workspace}/{+path}?offset={offset}&length={length}',
      ]),
    );
  });
});

test('simultaneous edits of one file are all applied, one after another', async () => {
  const client = await overHttp('modern')();
  const [workspace, path] = [await newWorkspace(client), 'list'];
  await called(client, 'write_workspace_file', { workspace, path, text: 'end' });
  const numbers = Array.from({ length: 8 }, (_, index) => `${index}`);
  const edit = (newText: string) =>
    called(client, 'edit_workspace_file', { workspace, path, edits: [{ oldText: 'end', newText }] });
  await Promise.all(numbers.map((number) => edit(`${number} end`)));
  const lines = (await readThrough(client, workspace, path)).toString().split(' ');
  expect([lines.at(-1), lines.slice(0, -1).toSorted()]).toEqual(['end', numbers]);
});

test('a workspace that ambit mcp created in a daemon on demand is available in ambit serve later', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const client = await overStdio('modern', dataDir);
  const workspace = await newWorkspace(client);
  await called(client, 'write_workspace_file', { workspace, path: 'a', text: 'kept' });
  await client.close();
  const later = await startDaemon(config, { dataDir });
  expect((await later.request('GET', `/workspaces/${workspace}`)).body).toMatchObject({
    files: [{ path: 'a', bytes: 4 }],
  });
  const next = await httpClient(later);
  expect((await readThrough(next, workspace, 'a')).toString()).toBe('kept');
});
