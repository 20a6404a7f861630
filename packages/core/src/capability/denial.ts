import { type Capabilities, type CapabilityKind, capabilityKinds } from './capabilities.ts';
import { items } from './items.ts';

/** One capability that a call asked for and does not get. */
export interface Denial {
  /** `run` is the right to run as a program of the host at all. */
  capability: CapabilityKind | 'run';
  /** The item as it was requested: a path, a host rule, a name. */
  requested: string;
  /** Which rule refused it. */
  reason: string;
  /** The line of configuration that would grant it, or what else to do; in words an agent can pass on. */
  remedy: string;
}

/** A denial, or nothing when the item is granted. */
export type Verdict = { reason: string; remedy: string } | undefined;

/**
 * The line for `ambit.config.yaml` that grants `item` to a skill beside all that `operator` grants it already: put in the place
 * of the present one, it takes nothing away.
 */
export function grantLine(
  skillId: string,
  kind: CapabilityKind,
  item: string | undefined,
  operator?: Capabilities,
): string {
  const held = (of: CapabilityKind): string[] =>
    operator === undefined
      ? []
      : items(operator)
          .filter((each) => each.kind === of)
          .map(({ text }) => text);
  const listed = (of: CapabilityKind): string => {
    const wanted = of === kind ? [item ?? (isLevel(of) ? 'read' : undefined)] : [];
    if (isLevel(of)) return yamlScalar([...held(of), ...wanted].at(-1));
    return `[${[...new Set([...held(of), ...wanted])].map(yamlScalar).join(', ')}]`;
  };
  const used = [kind, ...(operator === undefined ? [] : capabilityKinds(operator))];
  const groups = groupsInOrder.flatMap(([group, kinds]) => {
    const there = kinds.filter((each) => used.includes(each));
    if (there.length === 0) return [];
    const inner = there.map((each) => {
      const key = each.split('.')[1];
      return key === undefined ? listed(each) : `${key}: ${listed(each)}`;
    });
    return [`${group}: ${group === 'filesystem' ? `{ ${inner.join(', ')} }` : inner.join()}`];
  });
  return `grants: { ${yamlScalar(skillId)}: { ${groups.join(', ')} } }`;
}

const groupsInOrder: readonly (readonly [string, readonly CapabilityKind[]])[] = [
  ['filesystem', ['filesystem.read', 'filesystem.write']],
  ...(['network', 'env', 'secrets', 'exec', 'state', 'memory'] as const).map(
    (kind) => [kind, [kind]] as const,
  ),
];

function isLevel(kind: CapabilityKind): boolean {
  return kind === 'state' || kind === 'memory';
}

/** A text as a value in a flow mapping. */
export function yamlScalar(text: string | undefined): string {
  if (text === undefined) return '…';
  // Already a flow mapping (a network rule or secret with its details), or a plain scalar that YAML reads as itself.
  if (text.startsWith('{') || /^[A-Za-z/][A-Za-z0-9/._-]*$/.test(text)) return text;
  return JSON.stringify(text);
}
