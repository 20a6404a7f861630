import type { RunView, SkillDetail, SkillSummary } from '@ambit/api';
import { isExecutable, payloadSchema, type Skill } from '@ambit/core';
import { requestLines } from '@ambit/core/inspect';
import { type LimitedRun, type LimitRange, limitedRun } from '@ambit/core/policy';
import { cutText } from '@ambit/core/prompt';
import { listedScripts, type Run, runtimeOf } from '@ambit/core/skill';

/** A sidecar can ask for any number of things. */
const requestsMax = 100;

/** A skill in a list: unescaped, for programs, with long texts cut. */
export function skillSummary(skill: Skill): SkillSummary {
  const { id, alias, manifest, sidecar, scripts, tier, digest, warnings, hiddenFrom } = skill;
  const { run } = sidecar;
  const summary: SkillSummary = {
    id,
    alias: alias ?? null,
    name: cutText(manifest.name),
    description: cutText(manifest.description),
    version: sidecar.version ?? null,
    tier,
    digest,
    executable: isExecutable({ sidecar, scripts }),
    run: run === undefined ? null : { runtime: run.runtime, protocol: run.protocol },
    requests: requestLines(skill)
      .slice(0, requestsMax)
      .map((line) => cutText(line)),
    warnings,
  };
  if (hiddenFrom !== undefined) summary.hiddenFrom = hiddenFrom;
  return summary;
}

/** The limits of calls that a run gets. */
export type LimitsFor = (run: LimitedRun) => LimitRange;

/** A skill with its full name and description, and the limits of its calls. */
export function skillDetail(skill: Skill, limitsFor: LimitsFor): SkillDetail {
  const { name, description, license, compatibility, allowedTools } = skill.manifest;
  const { run, namedRuns } = skill.sidecar;
  return {
    ...skillSummary(skill),
    name,
    description,
    allowedTools,
    license: license ?? null,
    compatibility: compatibility ?? null,
    files: skill.files,
    scripts: listedScripts(skill).map((script) => ({ ...script, runtime: runtimeOf(skill, script) })),
    scriptLimits: scriptLimits(skill, limitsFor),
    run: run === undefined ? null : runView(run, limitsFor),
    entries: Object.entries(namedRuns).map(([name, { run: named, description: what }]) => ({
      name,
      description: what ?? null,
      entry: named.entry,
      run: runView(named, limitsFor),
    })),
  };
}

/** Returns the limits of a script without a run. Untrusted ones run only as Python in WebAssembly. */
function scriptLimits({ tier }: Pick<Skill, 'tier'>, limitsFor: LimitsFor): LimitRange {
  return limitsFor({ kind: tier === 'untrusted' ? 'python' : 'process', limits: {} });
}

function runView(run: Run, limitsFor: LimitsFor): RunView {
  const { runtime, protocol, input, output, capabilities, limits } = run;
  return {
    runtime,
    protocol,
    capabilities,
    limits,
    callLimits: limitsFor(limitedRun(run)),
    input: payloadSchema(input) ?? null,
    output: payloadSchema(output) ?? null,
  };
}
