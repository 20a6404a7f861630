import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson } from '@ambit/core/json';
import { describeIssues, parseLargeYaml, partsOfId, SkillId, YamlTooLarge } from '@ambit/core/skill';
import { type DurableDraft, draftDurably } from '@ambit/runtime';
import { z } from 'zod';
import { Refusal } from '../errors/refusal.ts';
import { databaseAdvice } from '../sqlite/database-advice.ts';
import type { ConfigScope } from '../trust/config-scope.ts';

const lockFileName = 'ambit.lock';

const header = '# Written by "ambit skills". Commit it. Skills that differ from it do not run.\n';

/** The version of the format. Increases when programs that know the previous one could misread it. */
const formatVersion = 1;

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'write sha256: and 64 hexadecimal digits');

/** One file of a Python package, as the index has it. */
const LockedPythonPackage = z.looseObject({
  kind: z.literal('python'),
  // Both become a line for pip: nothing that it could read as an option.
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'write a package name in its normalized form'),
  version: z.string().regex(/^[A-Za-z0-9][\w.+!]*$/, 'write a version such as 1.0'),
  file: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'write 64 hexadecimal digits'),
});

/** The name of a package of npm, as a part of a path. */
const npmName = '(?:@[\\w~][\\w.~-]*/)?[\\w~][\\w.~-]*';

/** One package of npm, in one place. */
const LockedNpmPackage = z.looseObject({
  kind: z.literal('npm'),
  name: z.string().regex(new RegExp(`^${npmName}$`), 'write a package name'),
  version: z.string().regex(/^\d+\.\d+\.\d+[\w.+-]*$/, 'write a version such as 1.0.0'),
  // Names a folder on disk, so it must not lead out of its own.
  path: z
    .string()
    .regex(
      new RegExp(`^node_modules/${npmName}(?:/node_modules/${npmName})*$`),
      'write a path such as node_modules/NAME',
    ),
  /** The URL of its tarball, relative to the registry. */
  file: z.string().refine((file) => URL.canParse(file, 'https://a.example/'), 'write a URL or its path'),
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/, 'write sha512- and a hash in Base64'),
  /** It has an install script, which did not run; absent: it has none. */
  installScript: z.literal(true).exactOptional(),
});

const LockedPackage = z.discriminatedUnion('kind', [LockedPythonPackage, LockedNpmPackage]);

/** The packages of one version of a skill. */
const LockedDependencies = z
  .looseObject({
    /** The packages that the operator added to the skill's own, as typed. */
    added: z.array(z.string()),
    /** The version of Python that they fit; `null`: there are none of Python. */
    python: z
      .string()
      .regex(/^\d+\.\d+$/, 'write a version such as 3.11')
      .nullable(),
    packages: z.array(LockedPackage),
    /** The digest of their files, unpacked; see `treeDigest`. */
    content: Digest,
  })
  .refine(hasCanonicalJson, 'remove numbers that are not finite, and halves of surrogate pairs');

/** One version of an installed skill. */
const LockedVersion = z.looseObject({
  /** `commit:…` or `sha256:…` of the archive or of a server's list; `null` for a folder or file of this machine. */
  resolved: z.string().nullable(),
  digest: Digest,
  /** The SHA-256 of each file, hex. */
  files: z.record(z.string(), z.string()),
  /** The skill's requests, a line each; see `requestLines`. */
  requests: z.array(z.string()),
  /** The signer; `null`: it is not signed. */
  publisher: z.string().nullable(),
  /** The key or the workflow that signed it. */
  identity: z.string().nullable().default(null),
  /** The signature file, so that it can be verified again. */
  signature: z.string().nullable().default(null),
  /** The findings of the review, by severity. */
  findings: z.record(z.string(), z.number()),
  /** The time when it was first fetched. */
  fetchedAt: z.string(),
  /** Its packages; absent: it needs none, or they are not locked. */
  dependencies: LockedDependencies.exactOptional(),
});

const LockedSkill = LockedVersion.extend({
  /** As typed, without the folder of the skill. A path is absolute here, and in the file relative to it if it is below. */
  source: z.string(),
  /** The skill's folder in the source; empty for the source itself. */
  folder: z.string(),
  /** For readers of the file: only the store decides what is approved. */
  approval: z.looseObject({ tier: z.string(), by: z.string(), at: z.string() }).nullable(),
  /** The signer that was seen first, or approved last. */
  pinned: z
    .looseObject({ publisher: z.string().nullable(), identity: z.string().nullable() })
    .nullable()
    .default(null),
  /** A later version that waits for approval. */
  waiting: LockedVersion.exactOptional(),
});

const InstalledId = SkillId.refine(
  (id) => partsOfId(id).namespace !== undefined,
  'the id of an installed skill is namespace:name',
);

const Lock = z.looseObject({
  version: z.literal(formatVersion),
  skills: z.record(InstalledId, LockedSkill),
});

export type LockedDependencies = z.output<typeof LockedDependencies>;
export type LockedVersion = z.output<typeof LockedVersion>;
export type LockedSkill = z.output<typeof LockedSkill>;

/** The installed skills. Fields that this program does not know are kept. */
export type Lock = z.output<typeof Lock>;

/** Whether a digest can cover the value: fields that this program does not know can have any. */
function hasCanonicalJson(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** The digest of everything that is listed of a version's packages; `null`: none are. An edit of any of it changes the digest. */
export function dependenciesDigest({
  dependencies,
}: {
  dependencies?: LockedDependencies | undefined;
}): string | null {
  return dependencies === undefined ? null : `sha256:${hash('sha256', canonicalJson(dependencies))}`;
}

/**
 * The path of the lock file. In a project: beside its configuration, or in its folder if it has none. The user's own is in the
 * data directory, whether a configuration exists or not, and so is the one for a data directory that was named without a
 * configuration.
 */
export function lockFileOf({
  file,
  scope,
  dataDir,
}: {
  file: string | undefined;
  scope: ConfigScope;
  dataDir: string;
}): string {
  if (file !== undefined && scope.kind !== 'user') return join(dirname(file), lockFileName);
  const isBeside = scope.kind === 'project' && dirname(dataDir) === scope.folder;
  return join(isBeside ? scope.folder : dataDir, lockFileName);
}

/** Reads a lock file; nothing is installed without one. Rejects with `LOCK_INVALID`. */
export async function readLock(path: string): Promise<Lock> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read: ${cause.message}`, cause);
  });
  if (bytes === undefined) return { version: formatVersion, skills: {} };
  return lockIn(path, bytes.toString());
}

/** Parses the text of the lock file at `path`. Throws `LOCK_INVALID`. */
export function lockIn(path: string, text: string): Lock {
  const refused = (why: string, cause?: unknown): Refusal =>
    unusable(path, `${why}; restore it from version control, or remove it and add the skills again`, cause);
  let value: unknown;
  try {
    value = parseLock(text);
  } catch (cause) {
    const why = (cause as Error).message.split('\n', 1)[0] ?? '';
    throw refused(cause instanceof YamlTooLarge ? `it ${why}` : `not valid YAML: ${why}`, cause);
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > formatVersion)
    throw unusable(
      path,
      `it has version ${version}, and this Ambit knows version ${formatVersion}; use a newer Ambit. The file is unchanged`,
    );
  const parsed = Lock.safeParse(value);
  if (parsed.success) return withSources(parsed.data, (source) => absoluteSource(path, source));
  throw refused(describeIssues(parsed.error, Lock, value).slice(0, 5).join('; '));
}

/**
 * Writes the next lock file to a draft, so that a full disk is noticed before anything is changed. Rejects with
 * `LOCK_INVALID`, as the draft's `commit` does; the lock file is unchanged then.
 */
export async function draftLock(path: string, lock: Lock): Promise<DurableDraft> {
  const text = lockText(path, lock);
  const failed = (cause: Error): never => {
    throw unusable(path, `cannot be written: ${databaseAdvice(path, cause)}. Nothing was changed`, cause);
  };
  const draft = await draftDurably(path, text, 0o644).catch(failed);
  return { commit: () => draft.commit().catch(failed), discard: draft.discard };
}

function unusable(path: string, why: string, cause?: unknown): Refusal {
  return new Refusal('LOCK_INVALID', `${path}: ${why}`, { cause });
}

/** The text of a lock file at `path`: the same for every path of a project, except for sources outside of it. */
export function lockText(path: string, lock: Lock): string {
  const stored = withSources(lock, (source) => relativeSource(path, source));
  return header + indented(JSON.parse(canonicalJson(stored)));
}

/**
 * The value of a lock file. Below the first line, Ambit writes JSON, which is valid YAML: a YAML parser takes
 * seventy times as long. The YAML parser reads a file that was edited, and reports duplicate keys.
 */
function parseLock(text: string): unknown {
  if (text.startsWith(header)) {
    const json = text.slice(header.length);
    try {
      const value: unknown = JSON.parse(json);
      if (indented(value) === json) return value;
    } catch (error) {
      // JSON.stringify throws a RangeError for deep nesting, which the YAML parser reports.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    }
  }
  return parseLargeYaml(text, 0);
}

/** JSON with a field per line, for diffs. */
function indented(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function withSources(lock: Lock, change: (source: string) => string): Lock {
  const skills = Object.entries(lock.skills).map(
    ([id, skill]) => [id, { ...skill, source: change(skill.source) }] as const,
  );
  return { ...lock, skills: Object.fromEntries(skills) };
}

/** A path in the folder of the lock file, as relative to it: the file works in another checkout too. */
function relativeSource(lockFile: string, source: string): string {
  const folder = dirname(lockFile);
  const rest = source.slice(folder.length);
  return source.startsWith(folder) && /^(?:[/#]|$)/.test(rest) ? `.${rest}` : source;
}

function absoluteSource(lockFile: string, source: string): string {
  return /^\.(?:[/#]|$)/.test(source) ? dirname(lockFile) + source.slice(1) : source;
}
