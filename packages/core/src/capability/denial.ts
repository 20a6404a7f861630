import { z } from 'zod';
import { amountText } from './amount.ts';
import { CapabilityKind, capabilityKinds } from './capabilities.ts';
import { items } from './items.ts';
import type { RequestedLimits } from './limits.ts';
import type { SkillGrant } from './skill-grant.ts';

/** A requested capability that a call does not get. */
export const Denial = z
  .strictObject({
    capability: z
      .enum([...CapabilityKind.options, 'run'])
      .describe('`run` is the permission to run as a program of the host.'),
    /** As requested; a network rule on one line. */
    requested: z.string().describe('The requested item: a path, a host, a name.'),
    /** The predicate of a sentence about the capability: "is not granted". */
    reason: z.string().describe('The rule that denied it.'),
    /** An agent can quote it to its user. */
    remedy: z.string().describe('The line of configuration that grants it, or what else to do.'),
  })
  .meta({
    id: 'Denial',
    description: 'A capability that a call requested or tried to use and does not get.',
  });
export type Denial = z.output<typeof Denial>;

/** `undefined` means granted. */
export type Verdict = { reason: string; remedy: string } | undefined;

/** A denial in two sentences: why, and what to do. */
export function denialText(denial: Denial): string {
  return `${subject(denial, 'running as a host program')} ${denial.reason}. ${remedySentence(denial.remedy)}`;
}

/** The sentences for several denials. Denials with the same reason and remedy share theirs. */
export function denialTexts(denials: readonly Denial[]): string[] {
  return groupDenials(denials).map((same) => {
    const [{ reason, remedy }] = same;
    const what = listed(same.map((each) => subject(each, 'running as a host program')));
    return `${what} ${pluralized(reason, same.length)}. ${remedySentence(remedy)}`;
  });
}

/** Returns, as sentences, what a call lacks. `need` is the verb: "needs", or "was called with". */
export function deniedNeeds(skillId: string, need: string, denials: readonly Denial[]): string {
  const sentences = groupDenials(denials).map((same, index) => {
    const [{ reason, remedy }] = same;
    const what = listed(same.map((each) => subject(each, 'to run as a host program')));
    const verb = index === 0 ? `${skillId} ${need}` : need.replace(/^\w+/, 'It also $&');
    return `${verb} ${what}, which ${pluralized(reason, same.length)}. ${remedySentence(remedy)}`;
  });
  return sentences.join('. ');
}

/** Groups denials with the same reason and remedy, in order. */
function groupDenials(denials: readonly Denial[]): [Denial, ...Denial[]][] {
  const groups = new Map<string, [Denial, ...Denial[]]>();
  for (const denial of denials) {
    const key = JSON.stringify([denial.reason, denial.remedy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [denial]);
    else group.push(denial);
  }
  return [...groups.values()];
}

function listed(names: readonly string[]): string {
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function pluralized(reason: string, count: number): string {
  return count === 1 ? reason : reason.replace(/^is /, 'are ');
}

function subject({ capability, requested }: Denial, running: string): string {
  if (capability === 'run') return running;
  return requested === 'granted' || capability === 'host' ? capability : `${capability} ${requested}`;
}

/**
 * Returns the remedy as a sentence. A line of configuration ends it without a full stop, ready to copy.
 */
function remedySentence(remedy: string): string {
  if (/^(?:grants|imports): /.test(remedy)) return `Add to ambit.config.yaml: ${remedy}`;
  return remedy.charAt(0).toUpperCase() + remedy.slice(1);
}

/**
 * The line for `ambit.config.yaml` that grants `item` to a skill. It includes everything that
 * `operator` already grants, so it can replace the present line.
 */
export function grantLine(
  skillId: string,
  kind: CapabilityKind,
  item: string | undefined,
  operator?: SkillGrant,
): string {
  return jointGrantLine(skillId, [{ kind, item }], operator);
}

/** Like `grantLine`, for several items in one line. */
export function jointGrantLine(
  skillId: string,
  additions: readonly { kind: CapabilityKind; item: string | undefined }[],
  operator?: SkillGrant,
): string {
  const granted = (of: CapabilityKind): string[] =>
    operator === undefined
      ? []
      : items(operator)
          .filter((each) => each.kind === of)
          .map(({ text }) => text);
  const values = (of: CapabilityKind): string => {
    const wanted = additions.filter(({ kind }) => kind === of).map(({ item }) => item ?? placeholders[of]);
    if (isLevel(of)) return yamlScalar([...granted(of), ...wanted].at(-1));
    return `[${[...new Set([...granted(of), ...wanted])].map(yamlScalar).join(', ')}]`;
  };
  const used = [
    ...additions.map(({ kind }) => kind),
    ...(operator === undefined ? [] : capabilityKinds(operator)),
  ];
  const limits = operator?.limits;
  const groups = orderedGroups.flatMap(([group, kinds]) => {
    const usedKinds = kinds.filter((each) => used.includes(each));
    if (usedKinds.length === 0) return [];
    const inner = usedKinds.map((each) => {
      const key = each.split('.')[1];
      return key === undefined ? values(each) : `${key}: ${values(each)}`;
    });
    return [`${group}: ${group === 'filesystem' ? `{ ${inner.join(', ')} }` : inner.join()}`];
  });
  if (limits !== undefined) groups.push(`limits: ${limitsText(limits)}`);
  return `grants: { ${yamlScalar(skillId)}: { ${groups.join(', ')} } }`;
}

/** The line for `ambit.config.yaml` that sets limits of a skill, and grants what `operator` already grants. */
export function limitsLine(skillId: string, limits: RequestedLimits, operator: SkillGrant): string {
  return jointGrantLine(skillId, [], { ...operator, limits: { ...operator.limits, ...limits } });
}

/** Limits as a flow mapping: `{ memoryBytes: 1GiB }`. */
function limitsText(limits: RequestedLimits): string {
  const pairs = Object.entries(limits).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${amountText(name, value)}`],
  );
  return `{ ${pairs.join(', ')} }`;
}

const orderedGroups: readonly (readonly [string, readonly CapabilityKind[]])[] = [
  ['filesystem', ['filesystem.read', 'filesystem.write']],
  ...(['network', 'env', 'secrets', 'exec', 'state', 'memory', 'host'] as const).map(
    (kind) => [kind, [kind]] as const,
  ),
];

/** Placeholders in a line for items that the operator has to choose. */
const placeholders: Readonly<Partial<Record<CapabilityKind, string>>> = {
  'filesystem.read': '/path/to/folder',
  'filesystem.write': '/path/to/folder',
  network: 'host.example',
  state: 'read',
  memory: 'read',
  host: 'true',
};

function isLevel(kind: CapabilityKind): boolean {
  return kind === 'state' || kind === 'memory' || kind === 'host';
}

/** `text` as a value in a YAML flow mapping. */
export function yamlScalar(text: string | undefined): string {
  if (text === undefined) return '…';
  // Already a flow mapping (a network rule, a secret), or a plain scalar that needs no quotes.
  if (text.startsWith('{') || /^[A-Za-z/][A-Za-z0-9/._-]*$/.test(text)) return text;
  return JSON.stringify(text);
}
