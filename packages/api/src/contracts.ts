import { auditContracts } from './audit/contracts.ts';
import { callContracts } from './calls/contracts.ts';
import { configurationContracts } from './configuration.ts';
import { consoleContracts } from './console.ts';
import type { RouteContract } from './contract.ts';
import { daemonContracts } from './daemon.ts';
import { installContracts } from './installs/contracts.ts';
import { mcpContracts } from './mcp.ts';
import { promptContracts } from './prompts/contracts.ts';
import { skillContracts } from './skills/contracts.ts';
import { workspaceContracts } from './workspaces/contracts.ts';

const groups = [
  callContracts,
  workspaceContracts,
  skillContracts,
  installContracts,
  promptContracts,
  configurationContracts,
  consoleContracts,
  mcpContracts,
  auditContracts,
  daemonContracts,
] as const;

/** The contracts of all routes, in the order of the reference. */
export const contracts: readonly RouteContract[] = groups.flatMap((each): RouteContract[] =>
  Object.values(each),
);

type ValuesOf<Group> = Group extends unknown ? Group[keyof Group] : never;
type Contract = ValuesOf<(typeof groups)[number]>;

/** The contracts by method and path: `GET /skills/:id`. */
export type Contracts = { [Each in Contract as `${Each['method']} ${Each['url']}`]: Each };
