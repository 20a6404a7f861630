import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { localServer } from '../../../../test/support/local-server.ts';
import { type ArchiveEntry, zipOf } from './archives.ts';

/** A wheel, or a source distribution, as an index serves it. */
export interface IndexFile {
  name: string;
  content: Uint8Array;
  /** The SHA-256 that the index declares; absent: the right one. */
  declared?: string;
}

/** A wheel with these modules, and what the format asks for beside them. `more` are further entries, however wrong. */
export function wheelOf(
  name: string,
  version: string,
  modules: Readonly<Record<string, string>>,
  { requires = [], more = [] }: { requires?: readonly string[]; more?: readonly ArchiveEntry[] } = {},
): IndexFile {
  const file = `${name.replaceAll('-', '_')}-${version}`;
  const info = `${file}.dist-info`;
  const metadata = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`];
  const files = {
    ...modules,
    [`${info}/METADATA`]: [...metadata, ...requires.map((each) => `Requires-Dist: ${each}`), ''].join('\n'),
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = Object.keys(files).map((path) => `${path},,\n`);
  const entries = Object.entries({ ...files, [`${info}/RECORD`]: record.join('') });
  return {
    name: `${file}-py3-none-any.whl`,
    content: zipOf([...entries.map(([path, content]) => ({ path, content })), ...more]),
  };
}

/** A package index on loopback (PEP 503). `files` can change while it runs. The caller closes it. */
export async function packageIndex(files: IndexFile[]): Promise<{
  url: string;
  files: IndexFile[];
  /** The files that were asked for. */
  sent: string[];
  /** Answers instead of the index, if it returns true. */
  intercept: { use?: (request: IncomingMessage, response: ServerResponse) => boolean };
  close(): void;
}> {
  const intercept: { use?: (request: IncomingMessage, response: ServerResponse) => boolean } = {};
  const sent: string[] = [];
  const { origin, close } = await localServer((request, response) => {
    if (intercept.use?.(request, response) === true) return;
    const { pathname } = new URL(request.url ?? '', 'http://index.invalid');
    const [, project] = /^\/simple\/([^/]+)\/$/.exec(pathname) ?? [];
    const file = files.find(({ name }) => pathname === `/files/${encodeURIComponent(name)}`);
    if (file !== undefined) {
      sent.push(file.name);
      return void response.end(file.content);
    }
    const found = files.filter(({ name }) => project !== undefined && projectOf(name) === project);
    if (found.length === 0) return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const links = found.map(({ name, content, declared }) => {
      const hash = declared ?? createHash('sha256').update(content).digest('hex');
      return `<a href="/files/${encodeURIComponent(name)}#sha256=${hash}">${name}</a>`;
    });
    response.end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
  });
  return { url: `${origin}/simple`, files, sent, intercept, close };
}

function projectOf(file: string): string {
  const name = /^(.+?)-\d/.exec(file)?.[1] ?? file;
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
