import type { RefusedInstall } from '@ambit/api';
import type { Skill } from '@ambit/core';
import { type InspectedScript, requestLines } from '@ambit/core/inspect';
import { isBroken } from '@ambit/core/skill';
import { readSkillRoot } from '@ambit/runtime';
import { Refusal } from '../errors/refusal.ts';
import type { LockedVersion } from '../lock/lock-file.ts';
import { inspectFolder } from './inspect-folder.ts';
import type { Provenance } from './publishers/provenance.ts';
import { resolvedText, type StagedSource } from './stage-source.ts';

/** A skill of a source, read and reviewed. Nothing of it has run. */
export interface StagedSkill {
  id: string;
  /** In the source. */
  folder: string;
  /** The folder that has its files now. */
  root: string;
  skill: Skill;
  version: LockedVersion;
  /** Its Python scripts that run in WebAssembly, as far as their text shows; absent: its text was not read. */
  runsInWasm?: readonly string[];
  /** The reason that its packages are not locked; absent: they are, or it needs none. */
  packageProblem?: { code: string; message: string };
}

/**
 * Reads and reviews the skills of a source. Unusable skills are refused, and so is another skill of a name that is taken; an
 * exact copy is left out. `otherIds` are installed already.
 */
export async function readStaged(
  source: StagedSource,
  namespace: string,
  otherIds: readonly string[],
  onRead: (id: string) => void,
  provenanceOf: (skill: Skill, signature: Uint8Array | null | undefined) => Promise<Provenance>,
): Promise<{ skills: StagedSkill[]; refused: RefusedInstall[] }> {
  const skills: StagedSkill[] = [];
  const refused: RefusedInstall[] = [...source.refused];
  for (const { folder, root, signature } of source.skills) {
    const skill = await readSkillRoot({ path: root, tier: 'untrusted', namespace });
    if (isBroken(skill)) {
      refused.push({
        folder,
        code: 'SKILL_INVALID',
        message: `${inSource(folder)} cannot be used: ${skill.problem}`,
      });
      continue;
    }
    onRead(skill.id);
    const read = { folder, skill: { id: skill.id, digest: skill.digest } };
    const taken = skills.find(({ id }) => id === skill.id);
    // Repositories have copies of a skill for several agents.
    if (taken?.version.digest === skill.digest) continue;
    if (taken !== undefined) {
      refused.push({
        folder,
        code: 'SKILL_NAME_COLLISION',
        message: `${inSource(folder)} has the name of ${inSource(taken.folder)}: ${skill.id}. To install it too, name its folder: SOURCE#:${folder}, with another --namespace`,
      });
      continue;
    }
    const { findings, scripts } = await inspectFolder(skill, otherIds);
    const hidden = findings.find(({ severity }) => severity === 'refuse');
    if (hidden !== undefined) {
      refused.push({
        ...read,
        code: 'SKILL_HIDDEN_TEXT',
        message: `${inSource(folder)}: ${hidden.sentence}`,
      });
      continue;
    }
    const provenance = await provenanceOf(skill, signature).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ ...read, code: error.code, message: error.message });
    });
    if (provenance === undefined) continue;
    const counted = Object.groupBy(findings, ({ severity }) => severity);
    skills.push({
      id: skill.id,
      folder,
      root,
      skill,
      runsInWasm: runsInWasm(scripts),
      version: {
        resolved: resolvedText(source.resolved),
        digest: skill.digest,
        files: Object.fromEntries(skill.files.map(({ path, sha256 }) => [path, sha256])),
        requests: requestLines(skill),
        ...provenance,
        findings: Object.fromEntries(Object.entries(counted).map(([name, each]) => [name, each.length])),
        fetchedAt: new Date().toISOString(),
      },
    });
  }
  return { skills, refused };
}

/** The scripts that need nothing else, as a call names them, the surest first. */
function runsInWasm(scripts: readonly InspectedScript[]): string[] {
  const found = scripts.filter(({ wasm }) => wasm?.needs.length === 0);
  const isSure = ({ wasm }: InspectedScript): boolean => wasm?.mayNeed.length === 0;
  return [...found.filter(isSure), ...found.filter((script) => !isSure(script))].map(({ path }) =>
    path.endsWith('/__main__.py') ? `-m ${path.slice(0, -'/__main__.py'.length).replaceAll('/', '.')}` : path,
  );
}

function inSource(folder: string): string {
  return folder === '' ? 'the skill of the source' : `the skill in ${JSON.stringify(folder)}`;
}
