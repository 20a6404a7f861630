import { isExecutable, payloadSchema, type Skill } from '@ambit/core';
import { cutText, otherScripts, type Run } from '@ambit/core/internal';
import type { RunView, SkillDetail, SkillSummary } from './answer/skill.ts';

/** A skill as a listing shows it: exact, for programs, and bounded. */
export function skillSummary({
  id,
  manifest,
  sidecar,
  scripts,
  tier,
  digest,
  warnings,
}: Skill): SkillSummary {
  return {
    id,
    name: cutText(manifest.name),
    description: cutText(manifest.description),
    version: sidecar.version ?? null,
    tier,
    digest,
    executable: isExecutable({ sidecar, scripts }),
    warnings,
  };
}

/** A skill by itself, with its name and description whole. */
export function skillDetail(skill: Skill): SkillDetail {
  const { name, description, license, compatibility, allowedTools } = skill.manifest;
  const { run, namedRuns } = skill.sidecar;
  return {
    ...skillSummary(skill),
    ...{ name, description, allowedTools },
    license: license ?? null,
    compatibility: compatibility ?? null,
    files: skill.files,
    scripts: otherScripts(skill),
    run: run === undefined ? null : runView(run),
    entries: Object.entries(namedRuns).map(([name, { run: named, description: what }]) => ({
      ...{ name, description: what ?? null, entry: named.entry },
      run: runView(named),
    })),
  };
}

function runView({ runtime, protocol, input, output, capabilities, limits }: Run): RunView {
  return {
    ...{ runtime, protocol, capabilities, limits },
    input: payloadSchema(input) ?? null,
    output: payloadSchema(output) ?? null,
  };
}
