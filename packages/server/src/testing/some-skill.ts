import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Skill } from '@ambit/core';
import { readSidecar, type SkillFile } from '@ambit/core/skill';

/** A skill without a folder. `sidecar` is the text of its `ambit.yaml`; an empty one makes a prompt skill. */
export function someSkill(
  id: string,
  sidecar = '',
  { description = `What ${id} does.`, ...rest }: Partial<Skill> & { description?: string } = {},
): Skill {
  return {
    id,
    manifest: {
      name: id,
      description,
      license: undefined,
      compatibility: undefined,
      metadata: {},
      allowedTools: [],
    },
    sidecar: readSidecar(sidecar),
    body: '',
    digest: `sha256:${id}`,
    files: [],
    scripts: [],
    tier: 'local',
    root: `/skills/${id}`,
    warnings: [],
    ...rest,
  };
}

/** A file as a skill lists it, relative to its own folder. */
export function listedFile(file: string): SkillFile {
  const content = readFileSync(file);
  return { path: basename(file), bytes: content.length, sha256: hash('sha256', content) };
}
