import type { Skill } from '@ambit/core';
import type { McpServer } from '@modelcontextprotocol/server';
import type { McpDeps } from '../request/mcp-deps.ts';

/** The interval at which skills are compared while a client listens and none sends requests. */
const everyMs = 10_000;

/** Detects changes of the lists that clients see. */
export interface SkillObserver {
  /** Compares now, and reports a change since the last time. Never rejects. */
  look(): Promise<void>;
  close(): void;
}

/**
 * Calls `changed` when the catalog's list or `untrustedTools` has changed: on each `look`, and on a
 * timer while `isHeard` returns true. The timer does not keep the process alive.
 */
export function watchSkills(
  deps: Pick<McpDeps, 'execute' | 'untrustedTools'>,
  isHeard: () => boolean,
  changed: () => void,
): SkillObserver {
  let seen: readonly Skill[] | undefined;
  let seenUntrusted = deps.untrustedTools;
  const look = async (): Promise<void> => {
    const now = await deps.execute.catalog.list().catch(() => seen);
    const { untrustedTools } = deps;
    const isChanged = (seen !== undefined && seen !== now) || seenUntrusted !== untrustedTools;
    seen = now;
    seenUntrusted = untrustedTools;
    if (isChanged) changed();
  };
  const timer = setInterval(() => {
    if (isHeard()) void look();
  }, everyMs);
  timer.unref();
  return { look, close: () => clearInterval(timer) };
}

/** Notifies a client that its lists have changed: skills are tools, prompts and resources. */
export function announce({ server }: McpServer): void {
  const sent = [
    server.sendToolListChanged(),
    server.sendPromptListChanged(),
    server.sendResourceListChanged(),
  ];
  // A disconnected client lists again when it reconnects.
  for (const each of sent) each.catch(() => undefined);
}
