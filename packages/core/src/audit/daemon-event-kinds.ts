import type { DaemonEvent } from './audit-event.ts';

/** Typed, so that it does not compile if one is missing. */
const kinds = {
  'daemon.started': true,
  'daemon.stopped': true,
  'config.reloaded': true,
  'config.refused': true,
  'policy.changed': true,
  'skill.changed': true,
  'skill.installed': true,
  'skill.approved': true,
  'skill.expired': true,
  'skill.revoked': true,
  'skill.restored': true,
  'skill.removed': true,
  'install.refused': true,
  'console.issued': true,
  'console.opened': true,
  'console.unlocked': true,
  'console.closed': true,
  'workspace.created': true,
  'workspace.written': true,
  'workspace.deleted': true,
  'workspace.expired': true,
  'log.pruned': true,
  'key.rotated': true,
} satisfies Record<DaemonEvent['kind'], true>;

/** The kinds of events outside calls. */
export const daemonEventKinds = Object.keys(kinds) as DaemonEvent['kind'][];
