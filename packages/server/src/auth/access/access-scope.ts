import type { Catalog, Selection, SelectionRequest } from '@ambit/core';
import type { ExecuteDeps } from '@ambit/core/execute';
import { type OwnWorkspaces, ownWorkspaces, type Workspaces } from '@ambit/core/internal';
import type { ComposedPrompt } from '../../wire/answer/prompt-answer.ts';
import type { PromptBody } from '../../wire/prompt-body.ts';
import type { Prompts } from '../../wire/prompts.ts';
import type { KeyRights } from '../key-rights.ts';
import { type VisibleAudit, visibleAudit } from './visible-audit.ts';
import { visibleCatalog } from './visible-catalog.ts';

/** All that a transport can do for one caller. Whatever goes through it stays within what the caller's key allows. */
export interface AccessScope {
  catalog: Catalog;
  /** For `executeSkill`, `executeChain` and `executeBatch`: only the key's skills are there, and its ceiling holds. */
  execute: ExecuteDeps;
  prompts: {
    select(request: SelectionRequest): Promise<Selection>;
    compose(request: PromptBody, signal: AbortSignal): Promise<ComposedPrompt>;
  };
  audit: VisibleAudit;
  /** Those that the key has made. */
  workspaces: OwnWorkspaces;
}

/** What calls and prompts are made with. It is another object, whole, when the configuration has been read again. */
interface CurrentConfig {
  readonly execute: ExecuteDeps;
  readonly prompts: Prompts;
  /** The same whatever the configuration. */
  readonly workspaces: Workspaces;
}

/**
 * What each key reaches of what is in force whenever it is asked: whoever keeps an answer keeps all of one configuration.
 * Scopes are not looked at: a transport's routes do.
 */
export function currentAccess(inForce: CurrentConfig): (rights: KeyRights) => AccessScope {
  const made = new WeakMap<ExecuteDeps, (rights: KeyRights) => AccessScope>();
  return (rights) => {
    const { execute, prompts, workspaces } = inForce;
    const reach = made.get(execute) ?? accessOf(execute, prompts, workspaces);
    made.set(execute, reach);
    return reach(rights);
  };
}

/** Makes it once for as long as a key's rights are the same. */
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
    const catalog = skills === undefined ? execute.catalog : visibleCatalog(execute.catalog, skills);
    const reach: AccessScope = {
      catalog,
      execute: { ...execute, catalog, ceiling, workspaces },
      prompts: {
        select: (request) => prompts.select(request, catalog),
        compose: (request, signal) => prompts.compose(request, signal, { actor: rights.actor, catalog }),
      },
      audit: visibleAudit(execute.audit, rights),
      workspaces: ownWorkspaces(execute, workspaces, rights.actor),
    };
    made.set(rights, reach);
    return reach;
  };
}
