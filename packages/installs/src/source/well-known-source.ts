import { describeIssues, SkillName } from '@ambit/core/skill';
import { z } from 'zod';
import { InstallError } from '../install-error.ts';
import { checkedUrl } from './checked-url.ts';
import { jsonOf } from './json-of.ts';
import { type PartStore, partsSource, requireDigest, type SourcePart, sha256 } from './parts-source.ts';
import type { RefusedSkill, ServedSource } from './source.ts';
import { servedBounds } from './source-bounds.ts';
import type { SourceHttp } from './source-http.ts';

const schemaUri = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

const Index = z.object({ $schema: z.string(), skills: z.array(z.unknown()) });

const Entry = z.object({
  name: SkillName,
  type: z.string(),
  url: z.string().min(1),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'write sha256: and 64 hexadecimal digits'),
});

/**
 * The skills that a site lists at `/.well-known/agent-skills/index.json`, by Agent Skills Discovery 0.2.0; with `folder`, only
 * those in this folder. A skill whose file is missing or has another digest is left out. Rejects with an `InstallError`.
 */
export async function wellKnownSource(
  { place, folder }: { place: string; folder?: string | undefined },
  http: SourceHttp,
  store: PartStore,
): Promise<ServedSource> {
  const bytes = await indexAt(place, http);
  const listed = listedIn(place, bytes);
  const parts: SourcePart[] = [];
  const leftOut: RefusedSkill[] = [];
  for (const [at, value] of listed.entries()) {
    const { name } = Object(value) as { name?: unknown };
    const label = typeof name === 'string' ? name.slice(0, 64) : `skills[${at}]`;
    if (folder !== undefined && folder.split('/')[0] !== label) continue;
    try {
      parts.push(await partOf(value, label, place, http, store));
    } catch (error) {
      // Not after the end of the time for all of them.
      if (!(error instanceof InstallError) || http.signal.aborted) throw error;
      leftOut.push({ folder: label, error });
    }
  }
  return { ...partsSource(parts), sha256: sha256(bytes), leftOut };
}

async function indexAt(url: string, http: SourceHttp): Promise<Uint8Array> {
  const { status, body } = await http.get(url, {
    bytesMax: servedBounds.listBytes,
    accept: 'application/json',
  });
  if (status === 200) return body;
  throw new InstallError(
    'SOURCE_UNREACHABLE',
    `${url} was answered with status ${status}: the site lists no skills there. The URL of a git repository has a path: https://HOST/REPOSITORY`,
  );
}

function listedIn(url: string, bytes: Uint8Array): readonly unknown[] {
  const value = jsonOf(url, bytes);
  const { $schema } = Object(value) as { $schema?: unknown };
  if ($schema !== schemaUri)
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${url} is not an index of skills that Ambit reads; its $schema must be ${schemaUri}`,
    );
  const parsed = Index.safeParse(value);
  if (!parsed.success)
    throw new InstallError(
      'SOURCE_DAMAGED',
      `${url} is invalid: ${describeIssues(parsed.error, Index, value).slice(0, 3).join('; ')}`,
    );
  const { skills } = parsed.data;
  if (skills.length > servedBounds.items)
    throw new InstallError(
      'SOURCE_TOO_LARGE',
      `${url} lists ${skills.length} skills; at most ${servedBounds.items} are read`,
    );
  return skills;
}

async function partOf(
  value: unknown,
  label: string,
  index: string,
  http: SourceHttp,
  store: PartStore,
): Promise<SourcePart> {
  const parsed = Entry.safeParse(value);
  const refuse = (code: 'SOURCE_DAMAGED' | 'SOURCE_UNSUPPORTED', why: string): InstallError =>
    new InstallError(code, `the entry ${JSON.stringify(label)} of ${index} ${why}`);
  if (!parsed.success)
    throw refuse(
      'SOURCE_DAMAGED',
      `is invalid: ${describeIssues(parsed.error, Entry, value).slice(0, 3).join('; ')}`,
    );
  const { name, type, digest } = parsed.data;
  if (type !== 'skill-md' && type !== 'archive')
    throw refuse(
      'SOURCE_UNSUPPORTED',
      `has the type ${JSON.stringify(type.slice(0, 50))}, which Ambit does not read`,
    );
  if (!URL.canParse(parsed.data.url, index)) throw refuse('SOURCE_DAMAGED', 'has an invalid url');
  const url = checkedUrl(new URL(parsed.data.url, index).href).href;
  const bytes = await http.fetch(url, { bytesMax: servedBounds.artifactBytes });
  requireDigest(url, bytes, digest);
  return type === 'archive' ? store.archive(name, bytes) : store.file(`${name}/SKILL.md`, bytes);
}
