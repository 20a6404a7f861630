import { issueText, validateSkill } from '@ambit/core/inspect';
import { emptySidecar, readManifest, readSidecar } from '@ambit/core/skill';
import type { ExportSkill, ExportSource } from '../export/exported.ts';
import type { Contents, ImportedSkill } from '../import/skill/imported.ts';

/** The result of an import as input for an export: skills sorted by id, and settings. */
export function asLoaded({ skills, settings }: Contents): ExportSource {
  return { ...settings, skills: skills.map(loaded).sort((a, b) => (a.skill.id < b.skill.id ? -1 : 1)) };
}

function loaded({ id, skillMd, sidecar, files }: ImportedSkill): ExportSkill {
  const { manifest, body } = readManifest(skillMd, id);
  const listed = files.map(({ path }) => ({ path, bytes: 0, sha256: '' }));
  const read = sidecar === undefined ? emptySidecar : readSidecar(sidecar);
  return { skill: { id, manifest, sidecar: read, body, files: listed }, skillMd };
}

/** The errors of strict validation; empty if all folders are valid. */
export function invalid({ skills }: Contents): string[] {
  return skills.flatMap(({ id, skillMd, sidecar, files }) => {
    const checked = [...files, { path: 'SKILL.md' }].map(({ path }) => ({
      path,
      isLink: false,
      leavesFolder: false,
    }));
    return validateSkill({ name: id, files: checked, skillMd, sidecar }).errors.map(
      (error) => `${id}: ${issueText(error)}`,
    );
  });
}
