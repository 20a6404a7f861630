import {
  type Capabilities,
  isExecutable,
  type JsonSchema,
  type Run,
  type Script,
  type Skill,
  type SkillFile,
  type Tier,
} from '@ambit/core';

/** A skill as a listing shows it. */
export interface SkillSummary {
  id: string;
  name: string;
  description: string;
  /** `null` when its sidecar has none. */
  version: string | null;
  tier: Tier;
  digest: string;
  executable: boolean;
  warnings: readonly string[];
}

/** A skill with all that a caller needs to call it; not its body, and not where it lies. */
export interface SkillDetail extends SkillSummary {
  files: readonly SkillFile[];
  /** What can be called with `script`, where there is no `run`. */
  scripts: readonly Script[];
  /** `null` for a skill whose sidecar has none. */
  run: RunView | null;
}

/** How to call a skill, and what it asks for. */
interface RunView {
  runtime: Run['runtime'];
  protocol: Run['protocol'];
  /** JSON Schemas; `null`: anything goes. */
  input: JsonSchema | null;
  output: JsonSchema | null;
  capabilities: Capabilities;
  limits: Run['limits'];
}

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
    name: manifest.name,
    description: manifest.description,
    version: sidecar.version ?? null,
    tier,
    digest,
    executable: isExecutable({ sidecar, scripts }),
    warnings,
  };
}

export function skillDetail(skill: Skill): SkillDetail {
  const { run } = skill.sidecar;
  return {
    ...skillSummary(skill),
    files: skill.files,
    scripts: skill.scripts,
    run: run === undefined ? null : runView(run),
  };
}

function runView({ runtime, protocol, input, output, capabilities, limits }: Run): RunView {
  return { runtime, protocol, input: input ?? null, output: output ?? null, capabilities, limits };
}
