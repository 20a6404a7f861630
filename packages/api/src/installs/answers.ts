import { Tier } from '@ambit/core/execute';
import { declaredKinds, type InspectionRule, inspectionRules } from '@ambit/core/inspect';
import { CallLimits } from '@ambit/core/policy';
import { SkillId } from '@ambit/core/skill';
import { z } from 'zod';

/** The state of an installed skill. */
export const InstallState = z
  .enum(['approved', 'unapproved', 'expired', 'waiting', 'revoked', 'damaged'])
  .describe(
    '`approved`: runs with its tier. `unapproved`: untrusted, so only WebAssembly of it runs, Python scripts included. `expired`: untrusted too, because its approval has ended. `waiting`: a later version waits for approval. `revoked`: refused. `damaged`: its files are not what the lock file says.',
  );
export type InstallState = z.output<typeof InstallState>;

const Digest = z.string().describe('`sha256:…`');
const Publisher = z.string().nullable().describe('The configured publisher that signed it; `null`: none.');
const Identity = z
  .string()
  .nullable()
  .describe('The key (`ed25519:…`) or the workflow (`sigstore:…`) that signed it.');
const Findings = z.record(z.string(), z.number()).describe('The findings of the review, by severity.');

const Packages = z
  .array(z.string())
  .describe(
    'Its locked packages, each with its version, sorted: `numpy 1.26.0` of Python, `npm:chalk 5.3.0` of npm.',
  );

/** One installed skill. */
export const InstalledSummary = z
  .strictObject({
    id: SkillId,
    state: InstallState,
    source: z.string().describe('As typed when it was added.'),
    folder: z.string().describe('Where it is in the source; empty for the source itself.'),
    resolved: z
      .string()
      .nullable()
      .describe('`commit:…`, or `sha256:…` of the archive, or of the list of a server.'),
    digest: Digest,
    tier: Tier.describe('That it runs with.'),
    requests: z.array(z.string()).describe('What it asks for, a line each.'),
    findings: Findings,
    publisher: Publisher,
    identity: Identity,
    waiting: Digest.nullable().describe('The digest of the version that waits for approval.'),
    dependencies: Digest.nullable().describe('Of its locked packages; `null`: it has none.'),
    until: z.iso
      .datetime()
      .nullable()
      .describe('When the approval of this digest ends or has ended; `null`: never, or it has none.'),
  })
  .meta({ id: 'InstalledSkill', description: 'A skill from the lock file.' });
export type InstalledSummary = z.output<typeof InstalledSummary>;

/** The effect of a change on one skill. */
export const InstallChange = z
  .strictObject({
    id: SkillId,
    change: z
      .enum(['added', 'unchanged', 'updated', 'waiting', 'approved', 'removed', 'fetched', 'missing'])
      .describe(
        '`waiting`: a later version waits for approval. `approved`: it took over the approval, by `installs.updates: auto`. `fetched`: its files were restored. `missing`: its source no longer has it.',
      ),
    description: z.string().nullable(),
    digest: Digest.nullable(),
    from: Digest.nullable().describe('The digest before.'),
    executable: z.boolean(),
    runsInWasm: z
      .array(z.string())
      .exactOptional()
      .describe(
        'Its Python scripts that run before it is approved, in WebAssembly, as far as their text shows, as values of `script`. Absent: none, or it is approved.',
      ),
    requests: z.array(z.string()),
    wider: z
      .array(z.string())
      .describe(
        'What it asks for or gets beyond the approved version, and scripts that only one of them has.',
      ),
    findings: Findings,
    publisher: Publisher,
    provenance: z
      .string()
      .nullable()
      .describe('How its signer differs from the signer that was approved or seen first, in words.'),
    packages: Packages,
    packageProblem: z
      .strictObject({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why its packages are not locked; `null`: they are, or it needs none.'),
  })
  .meta({ id: 'InstallChange', description: 'What a change did with one skill.' });
export type InstallChange = z.output<typeof InstallChange>;

/** A skill of a source that was left out. */
export const RefusedInstall = z
  .strictObject({
    folder: z.string(),
    code: z
      .string()
      .describe(
        'A code of `ambit skills review`, or `INSTALL_CONFLICT`: its id belongs to another source; `SIGNATURE_INVALID`: its signature is missing or not valid; `SKILL_HIDDEN_TEXT`: it has text that only models can read.',
      ),
    message: z.string(),
    skill: z
      .strictObject({ id: SkillId, digest: Digest })
      .exactOptional()
      .describe('The version that was left out; absent: it could not be read, or its name is taken.'),
  })
  .meta({ id: 'RefusedInstall', description: 'A skill of a source that was left out, and why.' });
export type RefusedInstall = z.output<typeof RefusedInstall>;

/** The result of adding or updating. */
export const InstallChanges = z
  .strictObject({ skills: z.array(InstallChange), refused: z.array(RefusedInstall) })
  .meta({ id: 'InstallChanges', description: 'What a change did with each skill.' });
export type InstallChanges = z.output<typeof InstallChanges>;

/** A file that differs between two versions. */
const FileChange = z.strictObject({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  diff: z.string().nullable().describe('In the unified format; `null` for a file that is no short text.'),
});

const Names = z.array(z.string());
const PackageKind = z.enum(['python', 'npm']);

/** The facts that were read in the files of a skill. Nothing of it ran. */
const SkillReading = z
  .strictObject({
    description: z.string().nullable(),
    version: z.string().nullable(),
    executable: z.boolean(),
    problem: z.string().nullable().describe('Why it cannot be loaded; `null` if it can.'),
    warnings: Names.readonly().describe('What loading reads differently from other tools, or ignores.'),
    hiddenFrom: z
      .array(z.enum(['models', 'menus']))
      .readonly()
      .describe('Who is not offered it: models, or the menus of people. Empty: everybody is.'),
    files: z.array(z.strictObject({ path: z.string(), bytes: z.number() })),
    bytes: z.number(),
    dependencies: z
      .strictObject({
        declared: z.array(z.strictObject({ kind: PackageKind, text: z.string(), file: z.string() })),
        refused: z
          .array(z.strictObject({ file: z.string(), text: z.string(), reason: z.string() }))
          .describe('Declarations that cannot be locked.'),
        guessed: z
          .array(z.strictObject({ kind: PackageKind, name: z.string() }))
          .describe('What scripts seem to import and the skill does not declare.'),
      })
      .describe('The packages that it needs, as its files say.'),
    requests: Names.describe('What it asks for, in sentences.'),
    declares: z
      .array(z.strictObject({ kind: z.enum(declaredKinds), name: z.string(), file: z.string() }))
      .describe('What it declares for other tools: nothing of it is granted.'),
    scripts: z.array(
      z.strictObject({
        path: z.string(),
        language: z.string(),
        imports: Names,
        packages: Names,
        programs: Names,
        hosts: Names,
        environment: Names,
        paths: Names,
        wasm: z
          .strictObject({
            needs: Names.describe(
              'What it certainly uses, such as `package requests`, `module bz2`, `program git`, `threads` and `sockets`.',
            ),
            mayNeed: Names.describe('What it uses in some cases.'),
          })
          .nullable()
          .describe(
            'What a Python script that runs in WebAssembly needs and does not have there, as far as its text shows. `null`: it does not run there.',
          ),
      }),
    ),
    findings: z
      .array(
        z.strictObject({
          rule: z.enum(Object.keys(inspectionRules) as InspectionRule[]),
          severity: z.enum(['refuse', 'high', 'medium', 'note']),
          file: z.string().nullable(),
          line: z.number().nullable(),
          excerpt: z.string().nullable(),
          sentence: z.string(),
          count: z.number().describe('How many places the rule found in that file.'),
        }),
      )
      .describe('The worst first. Advice: no finding does not mean that a skill is safe.'),
  })
  .meta({ id: 'SkillReading', description: 'What was read in the files of a skill, as advice.' });

/** The facts by which a person decides about an installed skill. */
export const InstallReview = z
  .strictObject({
    skill: InstalledSummary,
    digest: Digest.describe('Of the version to decide about: the waiting one, if there is one.'),
    review: z
      .string()
      .describe('Names what was reviewed. An approval that passes it is refused if any of it has changed.'),
    approved: Digest.nullable().describe('The digest of the approved version.'),
    gets: z
      .array(z.string())
      .describe(
        'What each of its scripts gets once it is approved, a line each, under the configuration in force.',
      ),
    limits: z
      .array(z.strictObject({ scripts: Names, ...CallLimits.shape }))
      .describe(
        'The limits of its calls once it is approved: what a call gets without `limits` of its own, and the most that it can ask for. Scripts with the same limits are together.',
      ),
    declaredRemedy: z
      .string()
      .nullable()
      .describe(
        'For the operator: the line of configuration that grants what `declares` has and the skill lacks. Do not give it to a model. `null`: it lacks nothing of it, or its `ambit.yaml` says what it can be granted.',
      ),
    wider: z
      .array(z.string())
      .describe(
        'What it asks for or gets beyond the approved version, and scripts that only one of them has.',
      ),
    narrower: z.array(z.string()).describe('What it no longer asks for.'),
    files: z.array(FileChange).describe('The files that differ from the approved version.'),
    provenance: z.strictObject({
      publisher: Publisher,
      identity: Identity,
      change: z
        .string()
        .nullable()
        .describe('How the signer differs from the signer that was approved or seen first, in words.'),
      problem: z
        .string()
        .nullable()
        .describe('Why the signature in the lock file is not verified; `null`: it is, or there is none.'),
    }),
    packages: Packages,
    packageChanges: z
      .array(z.string())
      .describe('How its packages differ from the approved ones: `+ NAME VERSION` or `- NAME VERSION`.'),
    namespaceSources: z
      .array(z.string())
      .describe(
        'Sources with another host or owner whose installed skills have its namespace, because that namespace was chosen.',
      ),
    reading: SkillReading,
  })
  .meta({ id: 'InstallReview', description: 'What a person needs to decide about an installed skill.' });
export type InstallReview = z.output<typeof InstallReview>;

/** The approval of a version. */
export const ApprovalAnswer = z
  .strictObject({
    id: SkillId,
    digest: Digest,
    tier: Tier,
    requests: z.array(z.string()),
    publisher: Publisher,
    identity: Identity,
    dependencies: Digest.nullable().describe('Of its locked packages; `null`: it has none.'),
    by: z.string(),
    at: z.iso.datetime(),
    sequence: z.number().describe('Of the event in the audit log; its receipt proves the approval.'),
    until: z.iso.datetime().exactOptional().describe('When it ends. Absent: never.'),
    call: z
      .strictObject({
        script: z.string().nullable().describe('To name in the call; `null`: none.'),
        protocol: z.enum(['json', 'command']),
      })
      .nullable()
      .describe('A call to try first; `null`: it has only instructions.'),
  })
  .meta({ id: 'Approval', description: 'An approval and what it is bound to.' });
export type ApprovalAnswer = z.output<typeof ApprovalAnswer>;

/** A revocation. */
export const RevocationAnswer = z
  .strictObject({
    subject: z.string().describe('A digest, or `publisher:` and a name.'),
    skills: z.array(z.string()).describe('The installed skills that it concerns.'),
    reason: z.string().nullable(),
    by: z.string(),
    at: z.iso.datetime(),
    sequence: z.number().describe('Of the event in the audit log.'),
  })
  .meta({ id: 'Revocation', description: 'A revocation.' });
export type RevocationAnswer = z.output<typeof RevocationAnswer>;
