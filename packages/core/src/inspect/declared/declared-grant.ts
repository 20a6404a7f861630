import type { Capabilities } from '../../capability/capabilities.ts';
import { jointGrantLine } from '../../capability/denial.ts';
import type { DeclaredNeed } from './declared-lines.ts';

/**
 * The line of configuration that grants what a skill declares for other tools and lacks. `operator` is what it is granted
 * already. `undefined`: it lacks nothing of it, or has an `ambit.yaml`, which alone says what it can be granted.
 */
export function declaredGrant(
  {
    id,
    declares,
    files,
  }: { id: string; declares: readonly DeclaredNeed[]; files: readonly { path: string }[] },
  operator: Capabilities | undefined,
): string | undefined {
  const missing = (kind: DeclaredNeed['kind'], granted: readonly string[] = []): string[] =>
    declares.filter((need) => need.kind === kind && !granted.includes(need.name)).map(({ name }) => name);
  const missingItems = [
    ...missing('program', operator?.exec).map((item) => ({ kind: 'exec' as const, item })),
    ...missing('environment', operator?.env).map((item) => ({ kind: 'env' as const, item })),
  ];
  const isLimited = files.some(({ path }) => path === 'ambit.yaml');
  return missingItems.length === 0 || isLimited ? undefined : jointGrantLine(id, missingItems, operator);
}
