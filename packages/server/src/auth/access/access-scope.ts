import type { PromptBody } from '@ambit/api';
import type { Catalog, Selection, SelectionRequest } from '@ambit/core';
import type { ExecuteDeps } from '@ambit/core/execute';
import { type OwnWorkspaces, ownWorkspaces, type Workspaces } from '@ambit/core/workspace';
import type { Prompts } from '../../prompts/prompts.ts';
import type { ComposedPrompt } from '../../wire/answer/prompt.ts';
import type { KeyRights } from '../key-rights.ts';
import { type VisibleAudit, visibleAudit } from './visible-audit.ts';
import { visibleCatalog } from './visible-catalog.ts';

/** Everything that a transport can do for one caller, limited to the rights of its key. */
export interface AccessScope {
  catalog: Catalog;
  /**
   * For `executeSkill`, `executeChain` and `executeBatch`, with the key's skills and its upper
   * bound.
   */
  execute: ExecuteDeps;
  prompts: {
    select(request: SelectionRequest): Promise<Selection>;
    /** `Prompts.search`, among the given skills. */
    search: Prompts['search'];
    /** `isUser`: whether the listener, and nothing in the request, says that the caller is the user of this process. */
    compose(request: PromptBody, signal: AbortSignal, isUser: boolean): Promise<ComposedPrompt>;
  };
  audit: VisibleAudit;
  /** The workspaces that the key created. */
  workspaces: OwnWorkspaces;
}

/**
 * The parts of the configuration that calls and prompts use. A reload replaces the whole object.
 */
interface CurrentConfig {
  readonly execute: ExecuteDeps;
  readonly prompts: Prompts;
  /** Unaffected by a reload. */
  readonly workspaces: Workspaces;
}

/**
 * The access scope of a key under the current configuration. A returned scope uses one
 * configuration throughout. It does not check the key's scopes: the routes of a transport do.
 */
export function currentAccess(inForce: CurrentConfig): (rights: KeyRights) => AccessScope {
  const made = new WeakMap<ExecuteDeps, (rights: KeyRights) => AccessScope>();
  return (rights) => {
    const { execute, prompts, workspaces } = inForce;
    const access = made.get(execute) ?? accessOf(execute, prompts, workspaces);
    made.set(execute, access);
    return access(rights);
  };
}

/** Cached for as long as the key's rights object is the same. */
function accessOf(
  execute: ExecuteDeps,
  prompts: Prompts,
  workspaces: Workspaces,
): (rights: KeyRights) => AccessScope {
  const made = new WeakMap<KeyRights, AccessScope>();
  return (rights) => {
    const known = made.get(rights);
    if (known !== undefined) return known;
    const { skills, ceiling } = rights;
    const catalog =
      skills === undefined ? execute.catalog : visibleCatalog(execute.catalog, (id) => skills.has(id));
    const access: AccessScope = {
      catalog,
      execute: { ...execute, catalog, ceiling, workspaces },
      prompts: {
        select: (request) => prompts.select(request, catalog),
        search: prompts.search,
        compose: (request, signal, isUser) =>
          prompts.compose(request, signal, { actor: rights.actor, catalog, isUser }),
      },
      audit: visibleAudit(execute.audit, rights),
      workspaces: ownWorkspaces(execute, workspaces, rights.actor),
    };
    made.set(rights, access);
    return access;
  };
}
