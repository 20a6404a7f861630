import type { ExecuteResult } from '@ambit/core/execute';
import type { FileChange } from '@ambit/core/workspace';
import { fileContent } from '@ambit/runtime';
import type { CallToolResult } from '@modelcontextprotocol/server';

type Content = CallToolResult['content'];

/** The bytes in a result: of one file, and of all files together. */
const [contentBytesMax, allBytesMax] = [256 * 1024, 1024 * 1024];

/**
 * Files beyond either limit are only counted. A path of control characters becomes up to seven
 * times longer when escaped.
 */
const [filesMax, pathCharactersMax] = [1000, 64 * 1024];

/**
 * The files that a run changed, for a model: each change with its size. A persistent workspace
 * retains the contents; otherwise they are in the result, up to a limit. A sentence says how to get
 * what is left out.
 */
export function leftFiles({ files = [], workspace }: ExecuteResult): Content {
  const named = files.slice(0, namedOf(files));
  if (workspace?.stored === true) return [text(storedText(workspace, files, named))];
  const room = withRoom(named);
  const leftOut = named.filter((file) => file.content !== null && !room.has(file)).length;
  return [
    ...(workspace === undefined ? [] : [text(`Workspace ${workspace.id} is unchanged: ${workspace.why}.`)]),
    ...named.flatMap((file) => fileBlocks(file, room.has(file))),
    ...(leftOut === 0 ? [] : [text(howToGetContents(leftOut))]),
    ...(named.length === files.length ? [] : [text(howToGetNames(files.length, named.length))]),
  ];
}

/** Output that is not text, in base64: an image if it is one, or a file. A sentence says how to get what is too large. */
export function outputBytes(base64: string): Content {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > contentBytesMax)
    return [
      text(
        `[left out: the output has ${bytes.length} bytes that are not text, and a result over MCP has at most ${contentBytesMax}. To get them, have the skill write a file in a workspace, or make the call over HTTP]`,
      ),
    ];
  const mimeType = imageType(bytes);
  if (mimeType !== undefined) return [{ type: 'image', data: base64, mimeType }];
  // Text in another encoding, which a model can read around its gaps.
  if (!bytes.includes(0))
    return [text(bytes.toString()), text('[this is not UTF-8; what is not, is replaced by \uFFFD]')];
  const resource = { uri: 'workspace:///stdout', blob: base64, mimeType: 'application/octet-stream' };
  return [text(`The output has ${bytes.length} bytes that are not text:`), { type: 'resource', resource }];
}

/** The kinds of images that models read, by their first bytes. */
function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (start.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF....WEBP/s.test(start) ? 'image/webp' : undefined;
}

/** The number of files that can be named. */
function namedOf(files: readonly FileChange[]): number {
  let left = pathCharactersMax;
  const end = files.findIndex(({ path }, index) => {
    left -= path.length;
    return left < 0 || index === filesMax;
  });
  return end === -1 ? files.length : end;
}

function storedText(
  { id, usedBytes, leftOut }: { id: string; usedBytes: number; leftOut?: readonly object[] },
  files: readonly FileChange[],
  named: readonly FileChange[],
): string {
  if (files.length === 0) return `The run changed nothing in workspace ${id}.`;
  const rest = files.length - named.length;
  return [
    `The run changed workspace ${id}, which now has ${usedBytes} bytes:`,
    ...named.map((file) => `- ${changeText(file)}${file.leftOut ? `, not stored: ${file.omitted}` : ''}`),
    ...(leftOut === undefined ? [] : ['The workspace does not have what is named as not stored.']),
    ...(rest > 0 ? [`[cut: ${rest} more; list_workspaces with "workspace": "${id}" lists all of them]`] : []),
    `Read them with read_workspace_file, or as the resources workspace://${id}/PATH.`,
  ].join('\n');
}

/** The files whose contents fit in the result. */
function withRoom(files: readonly FileChange[]): ReadonlySet<FileChange> {
  let left = allBytesMax;
  return new Set(
    files.filter(({ content }) => {
      if (!(content instanceof Uint8Array) || content.length > contentBytesMax || content.length > left)
        return false;
      left -= content.length;
      return true;
    }),
  );
}

function fileBlocks(file: FileChange, hasRoom: boolean): Content {
  const { path, content, omitted } = file;
  const secret = file.redacted ? ' It contains a secret of the skill, which is redacted.' : '';
  const change = `The run ${changeText(file)} in its own folder.${secret}`;
  if (file.leftOut) return [text(`${change} It is left out: ${omitted}.`)];
  if (omitted !== undefined)
    return [
      text(`${change} Its content is left out: ${omitted}. Have the skill leave a smaller, regular file.`),
    ];
  if (content === null) return [text(change)];
  if (!hasRoom) return [text(`${change} Its content is left out.`)];
  if (!(content instanceof Uint8Array)) return [text(`${change} Its content is left out.`)];
  const { key, value } = fileContent(content);
  const uri = `workspace:///${path.split('/').map(encodeURIComponent).join('/')}`;
  const resource = key === 'text' ? { uri, text: value } : { uri, blob: value };
  return [text(change), { type: 'resource', resource }];
}

function changeText({ path, change, bytes, content, link, folder }: FileChange): string {
  const what = `${change} ${JSON.stringify(path)}`;
  if (folder) return `${what}, ${change === 'deleted' ? 'a' : 'an empty'} folder`;
  if (link !== undefined) return `${what}, a link to ${JSON.stringify(link)}`;
  if (change === 'deleted') return what;
  return content instanceof Uint8Array
    ? `${what}, ${kindOf(content)}, ${bytes} bytes`
    : `${what}, ${bytes} bytes`;
}

/** A guess from the start of the file. */
function kindOf(content: Uint8Array): 'text' | 'binary' {
  return content.subarray(0, 8192).includes(0) ? 'binary' : 'text';
}

function howToGetContents(count: number): string {
  return `[left out: the contents of ${count === 1 ? 'one file' : `${count} files`}. A result over MCP has at most ${contentBytesMax} bytes of a file and ${allBytesMax} of all files. To get them, repeat the call in a workspace (create_workspace creates one), and read them there with read_workspace_file]`;
}

function howToGetNames(count: number, named: number): string {
  return `[cut: the run changed ${count} files, and a result over MCP names the first ${named}. To get all names, repeat the call in a workspace (create_workspace creates one), and use list_workspaces]`;
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}
