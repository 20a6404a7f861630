import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Skill as Entry, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import manifest from '../../../package.json' with { type: 'json' };
import { InstallError } from '../../install-error.ts';
import { type PartStore, partsSource, requireDigest, type SourcePart, sha256 } from '../parts-source.ts';
import type { RefusedSkill, ServedSource } from '../source.ts';
import { servedBounds, skillBounds } from '../source-bounds.ts';
import type { SourceHttp } from '../source-http.ts';
import { proxiedFetch } from './proxied-fetch.ts';

/**
 * The skills of an MCP server, by the extension `io.modelcontextprotocol/skills` (SEP-2640); with `folder`, only those in this
 * folder. Each file must have the digest of its entry. Nothing else that the server says is used. A skill that is invalid, or
 * has a file with another digest, is left out. Rejects with an `InstallError`.
 */
export async function mcpSource(
  { place, folder }: { place: string; folder?: string | undefined },
  http: SourceHttp,
  store: PartStore,
): Promise<ServedSource> {
  // The budget is for the list alone, which is read into memory.
  const budget = { bytes: servedBounds.listBytes };
  const { fetch, failure } = proxiedFetch(http, budget);
  const transport = new StreamableHTTPClientTransport(new URL(place), { fetch });
  const client = new Client(
    { name: 'ambit', version: manifest.version },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: servedBounds.items },
  );
  /** What the proxy refused explains more than what the client makes of it. */
  const refusal = (cause: unknown): InstallError =>
    failure() ??
    new InstallError('SOURCE_UNREACHABLE', `${place}: ${(cause as Error).message.slice(0, 300)}`, { cause });
  const asked = async <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((cause: unknown) => {
      throw cause instanceof InstallError ? cause : refusal(cause);
    });
  const { signal } = http;
  try {
    await asked(client.connect(transport, { signal }));
    const skills = new SkillsClient(client, { skipInvalid: true });
    if (!skills.supported)
      throw new InstallError(
        'SOURCE_UNSUPPORTED',
        `${place} offers no skills over MCP (io.modelcontextprotocol/skills)`,
      );
    const { skills: entries, invalid } = await asked(skills.list({}, { signal }));
    if (entries.length + invalid.length > servedBounds.items)
      throw new InstallError(
        'SOURCE_TOO_LARGE',
        `${place} lists ${entries.length + invalid.length} skills; at most ${servedBounds.items} are read`,
      );
    budget.bytes = Number.POSITIVE_INFINITY;
    const leftOut: RefusedSkill[] = invalid.map(({ index, uri = `skills[${index}]`, reason }) => ({
      folder: uri.slice(0, 200),
      error: new InstallError(
        'SOURCE_DAMAGED',
        `the skill ${JSON.stringify(uri.slice(0, 200))} of ${place} is invalid: ${reason.slice(0, 300)}`,
      ),
    }));
    const read = (uri: string): Promise<Uint8Array> =>
      asked(client.readResource({ uri }, { signal, cacheMode: 'bypass' }).then(contentOf));
    const parts: SourcePart[] = [];
    for (const entry of entries) {
      const into = folderOf(entry);
      if (folder !== undefined && into !== folder && !into.startsWith(`${folder}/`)) continue;
      try {
        parts.push(...(await filesOf(entry, into, { place, read, store })));
      } catch (error) {
        if (!(error instanceof InstallError) || http.signal.aborted) throw error;
        leftOut.push({ folder: into, error });
      }
    }
    return { ...partsSource(parts), sha256: listDigest(entries), leftOut };
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** `acme/docx` of `skill://acme/docx/SKILL.md`. */
function folderOf({ uri }: Entry): string {
  return decoded(uri.replace(/^[a-z][a-z0-9+.-]*:\/*/i, '').replace(/\/SKILL\.md$/, ''));
}

async function filesOf(
  { uri: entryUri, resources }: Entry,
  folder: string,
  { place, read, store }: { place: string; read(uri: string): Promise<Uint8Array>; store: PartStore },
): Promise<SourcePart[]> {
  const about = `the skill ${JSON.stringify(folder.slice(0, 200))} of ${place}`;
  if (resources === 'dynamic')
    throw new InstallError('SOURCE_UNSUPPORTED', `${about} has no digests, because its files change`);
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length > skillBounds.files || bytes > skillBounds.bytes)
    throw new InstallError('SKILL_TOO_LARGE', `${about} has ${resources.length} files of ${bytes} bytes`);
  const root = entryUri.slice(0, -'SKILL.md'.length);
  const parts: SourcePart[] = [];
  for (const { uri, digest } of resources) {
    if (!uri.startsWith(root))
      throw new InstallError(
        'SOURCE_DAMAGED',
        `${about} has the file ${JSON.stringify(uri.slice(0, 200))}, which is not in its folder`,
      );
    const content = await read(uri);
    requireDigest(`${uri.slice(0, 200)} of ${place}`, content, digest);
    parts.push(await store.file(`${folder}/${decoded(uri.slice(root.length))}`, content));
  }
  return parts;
}

function contentOf({ contents }: Awaited<ReturnType<Client['readResource']>>): Uint8Array {
  const [content] = contents;
  if (content === undefined || contents.length > 1) throw new Error('a file is not one resource');
  return 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64');
}

/** Without its escapes; unchanged if they are invalid. What it leads to is checked with the paths of all sources. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the digest of everything that a server lists, whatever the order. */
function listDigest(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ resources }) =>
    resources === 'dynamic' ? [] : resources.map(({ uri, digest }) => `${digest} ${uri}\n`),
  );
  return sha256(Buffer.from(lines.sort().join('')));
}
