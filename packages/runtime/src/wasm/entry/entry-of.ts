import { createHash } from 'node:crypto';
import { SkillError } from '@ambit/core';
import type { ToolSkill } from '@ambit/core/execute';
import { isPython, isScript } from '@ambit/core/skill';
import type { EntryParts, PythonTarget } from '../pool/host-protocol.ts';
import { whyNotCoreModule } from './core-module.ts';
import { readSkillFile } from './read-skill-file.ts';

/** The entry that a call of a skill runs. */
export interface Entry {
  /** Equal for equal content only. */
  key: string;
  /**
   * Reads it, for a host that does not have it. Throws `SKILL_INVALID` if it is not a file of the
   * skill, is a symlink or behind one, is too long, or is not a core WebAssembly module. Throws
   * `SKILL_CHANGED` if it differs from the skill's digest.
   */
  read(): Promise<{ parts: EntryParts; bytes: readonly Uint8Array[] }>;
}

/** The largest module that is read. */
export const moduleBytesMax = 64 * 1024 * 1024;
const scriptBytesMax = 8 * 1024 * 1024;

/** The entry of a skill, identified by the digests of its files. Reads nothing yet. */
export function entryOf(skill: ToolSkill): Entry {
  if (isPython(skill.run)) return pythonEntry(skill);
  return isScript(skill.run) ? scriptEntry(skill) : moduleEntry(skill);
}

function moduleEntry(skill: ToolSkill): Entry {
  const { run, files, tier } = skill;
  const untrusted = tier === 'untrusted';
  const sha256 = files.find(({ path }) => path === run.entry)?.sha256 ?? 'none';
  const named = { function: run.runtime === 'wasm' ? run.function : undefined };
  const asCommand = run.protocol === 'command' || run.capabilities.filesystem.write.includes('workspace');
  return {
    key: `module ${JSON.stringify([sha256, untrusted, asCommand, named])}`,
    async read() {
      const bytes = await fileOf(skill, run.entry, moduleBytesMax);
      const problem = whyNotCoreModule(bytes);
      if (problem !== undefined) throw unusable(skill, run.entry, { problem });
      return { parts: { kind: 'module', untrusted, asCommand, ...named }, bytes: [bytes] };
    },
  };
}

/** A script includes every file of its folder that it could import. */
function scriptEntry(skill: ToolSkill): Entry {
  const { run } = skill;
  const files = skill.files.filter(({ path }) => path === run.entry || /\.(m?js|json)$/.test(path));
  const listed = files.map(({ path, sha256 }) => `${sha256} ${path}`).join('\n');
  return {
    key: `script ${createHash('sha256').update(`${run.entry}\n${listed}`).digest('hex')}`,
    async read() {
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      if (total > scriptBytesMax) {
        const problem = `has ${total} bytes of .js, .mjs and .json files, more than the ${scriptBytesMax} allowed`;
        throw unusable(skill, run.entry, { problem });
      }
      const paths = withEntry(run.entry, files);
      const bytes = await Promise.all(paths.map(({ path }) => fileOf(skill, path, scriptBytesMax)));
      const parts = paths.map(({ path }, index) => ({ path, bytes: bytes[index]?.length ?? 0 }));
      return { parts: { kind: 'script', path: run.entry, files: parts }, bytes };
    },
  };
}

/**
 * A Python program includes every module that it could import. Its other files are read when it opens
 * them, and so are modules that cannot be read, such as symlinks.
 */
function pythonEntry(skill: ToolSkill): Entry {
  const { run, module } = skill;
  const isIncluded = ({ path }: { path: string }): boolean => path === run.entry || path.endsWith('.py');
  const target: PythonTarget =
    module === undefined ? { kind: 'file', name: run.entry } : { kind: 'module', name: module };
  const files = skill.files.filter(isIncluded);
  const notIncluded = skill.files.filter((file) => !isIncluded(file));
  const listed = skill.files.map(({ path, sha256 }) => `${sha256} ${path}`).join('\n');
  return {
    key: `python ${createHash('sha256')
      .update(`${JSON.stringify(target)}\n${listed}`)
      .digest('hex')}`,
    async read() {
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      if (total > scriptBytesMax) {
        const problem = `has ${total} bytes of .py files, more than the ${scriptBytesMax} allowed`;
        throw unusable(skill, run.entry, { problem });
      }
      const read = await Promise.all(
        withEntry(run.entry, files).map(async ({ path, bytes }) => ({
          path,
          bytes,
          read: await readSkillFile(skill, path, scriptBytesMax),
        })),
      );
      const held: { path: string; content: Uint8Array }[] = [];
      const others: { path: string; bytes: number }[] = [...notIncluded];
      for (const file of read) {
        if (!('problem' in file.read)) held.push({ path: file.path, content: file.read.bytes });
        // The program may not need it.
        else if (file.path !== run.entry && !file.read.hasChanged) others.push(file);
        else throw unusable(skill, file.path, file.read);
      }
      return {
        parts: {
          kind: 'python',
          target,
          files: held.map(({ path, content }) => ({ path, bytes: content.length })),
          others: others.map(({ path, bytes }) => ({ path, bytes })),
        },
        bytes: held.map(({ content }) => content),
      };
    },
  };
}

/** An entry that is no file of the skill is included, because reading it says why it cannot run. */
function withEntry<File extends { path: string }>(
  entry: string,
  files: readonly File[],
): readonly (File | { path: string; bytes: number })[] {
  return files.some(({ path }) => path === entry) ? files : [{ path: entry, bytes: 0 }, ...files];
}

async function fileOf(skill: ToolSkill, path: string, bytesMax: number): Promise<Uint8Array> {
  const read = await readSkillFile(skill, path, bytesMax);
  if ('problem' in read) throw unusable(skill, path, read);
  return read.bytes;
}

function unusable(
  { id, run }: ToolSkill,
  path: string,
  { problem, hasChanged = false, cause }: { problem: string; hasChanged?: boolean; cause?: unknown },
): SkillError {
  const what = path === run.entry ? `entry ${path}` : `file ${path}`;
  return new SkillError(hasChanged ? 'SKILL_CHANGED' : 'SKILL_INVALID', `${id}: ${what} ${problem}`, {
    cause,
  });
}
