import { isExecutable, payloadSchema, type Skill } from '@ambit/core';
import { cutText, listedScripts, type Run, requestLines, runtimeOf } from '@ambit/core/internal';
import type { RunView, SkillDetail, SkillSummary } from './answer/skill.ts';

/** A sidecar can ask for any number of things. */
const requestsMax = 100;

/** A skill in a list: unescaped, for programs, with long texts cut. */
export function skillSummary(skill: Skill): SkillSummary {
  const { id, alias, manifest, sidecar, scripts, tier, digest, warnings, hiddenFrom } = skill;
  const summary: SkillSummary = {
    id,
    alias: alias ?? null,
    name: cutText(manifest.name),
    description: cutText(manifest.description),
    version: sidecar.version ?? null,
    tier,
    digest,
    executable: isExecutable({ sidecar, scripts }),
    requests: requestLines(skill)
      .slice(0, requestsMax)
      .map((line) => cutText(line)),
    warnings,
  };
  if (hiddenFrom !== undefined) summary.hiddenFrom = hiddenFrom;
  return summary;
}

/** A skill with its full name and description. */
export function skillDetail(skill: Skill): SkillDetail {
  const { name, description, license, compatibility, allowedTools } = skill.manifest;
  const { run, namedRuns } = skill.sidecar;
  return {
    ...skillSummary(skill),
    ...{ name, description, allowedTools },
    license: license ?? null,
    compatibility: compatibility ?? null,
    files: skill.files,
    scripts: listedScripts(skill).map((script) => ({ ...script, runtime: runtimeOf(skill, script) })),
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
