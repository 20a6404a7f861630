import { claimOperations } from './operations/claims.ts';
import { decisionOperations } from './operations/decisions.ts';
import { documentOperations } from './operations/documents.ts';
import { keyOperations } from './operations/keys.ts';
import { nodeOperations } from './operations/nodes.ts';
import { policyOperations } from './operations/policy.ts';
import { rateOperations } from './operations/rates.ts';
import { stateOperations } from './operations/skill-state.ts';
import { treeOperations } from './operations/trees.ts';
import { workspaceOperations } from './operations/workspaces.ts';
import { sql, type Transaction } from './statement.ts';

/** Everything that a store can do, by name: a thread receives names, not functions. Each is one transaction. */
const operations = {
  /** Whether the database answers and can be written. Changes nothing. */
  *probe(): Transaction<void> {
    yield sql`UPDATE claims SET node = node WHERE 1 = 0`;
  },
  ...claimOperations,
  ...workspaceOperations,
  ...stateOperations,
  ...keyOperations,
  ...decisionOperations,
  ...nodeOperations,
  ...documentOperations,
  ...policyOperations,
  ...treeOperations,
  ...rateOperations,
} satisfies Record<string, (...given: never[]) => Transaction<unknown>>;

export type Operations = typeof operations;

export type OperationResult<Name extends keyof Operations> = Operations[Name] extends (
  ...given: never[]
) => Transaction<infer Result>
  ? Result
  : never;

/** The steps of an operation. Values from another thread are not checked again. */
export function stepsOf(name: keyof Operations, given: readonly unknown[]): Transaction<unknown> {
  return (operations[name] as (...given: readonly unknown[]) => Transaction<unknown>)(...given);
}
