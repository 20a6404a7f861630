import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '@ambit/api';
import type { Actor, AuditEvent, Confirmation } from '@ambit/core/audit';
import { keyDigest } from '../auth/authenticate.ts';
import type { KeyRights } from '../auth/key-rights.ts';
import { programActor } from '../auth/reserved-actors.ts';
import { type CodePurpose, consoleSecret, type IssuedCode, oneTimeCodes } from './one-time-codes.ts';

/** A session of the web console. Times are in milliseconds since the epoch. */
export interface ConsoleSession {
  readonly id: string;
  /** The rights of the first key, whose holder signed in, or only to read. The actor is `console:` and the id. */
  readonly rights: KeyRights;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number;
  /** Until then it may run skills; `null`: it may only read. */
  readonly unlockedUntil: number | null;
}

/** A session that was just opened. Only its browser gets the two halves. */
interface OpenedSession {
  session: ConsoleSession;
  cookie: string;
  half: string;
}

/** The parts of a session that a request presents. */
interface PresentedSession {
  /** The values of all cookies that may be of a session. */
  cookies: readonly string[];
  half: string | undefined;
  /** Whether the page sends the request by itself, without a person. */
  isBackground: boolean;
}

type FoundSession =
  | { status: 'open'; session: ConsoleSession }
  /** Only one half is of an open session, as after a theft. */
  | { status: 'halved'; actor: Actor; missing: 'cookie' | 'half' }
  | { status: 'unknown' };

/** The reason why a session ended before its time. */
type SessionEnd = 'signed out' | 'revoked' | 'replaced';

/** The one-time codes and the sessions of a daemon, in memory. Everything except their use is recorded. */
export interface ConsoleSessions {
  /** Whether the configuration has the console on. Without it, no session is open. */
  isOn(): boolean;
  /** A code. `scopes` are of the session that it opens. With a `decision`, it confirms nothing else. */
  issue(
    purpose: CodePurpose,
    actor: Actor,
    scopes: readonly Scope[],
    decision: string | undefined,
  ): Promise<IssuedCode>;
  /** Opens a session with a code to sign in. `undefined`: the code is not valid. */
  open(code: string): Promise<OpenedSession | undefined>;
  /** Finds the session of a request, which counts as its use unless it is a background request. */
  find(presented: PresentedSession): FoundSession;
  /** Lets a session run skills for a while. `undefined`: the code is not valid. */
  unlock(session: ConsoleSession, code: string): Promise<ConsoleSession | undefined>;
  /** Uses up a code that confirms this decision. `undefined`: it is not valid, or is for another decision. */
  confirm(code: string, decision: string): Confirmation | undefined;
  isUnlocked(session: ConsoleSession): boolean;
  /** The open sessions, in the order of their creation. */
  list(): readonly ConsoleSession[];
  /** Whether a session is open, or a code to sign in is valid. */
  isInUse(): boolean;
  /** Ends a session: its streams end, and its running calls are canceled. `false`: there is none. */
  end(id: string, reason: SessionEnd, actor: Actor): Promise<boolean>;
}

export interface ConsoleSessionsOptions {
  isOn(): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns an id for a session that names this node of a cluster. Absent: a short random one. */
  newId?: (() => string) | undefined;
  append(event: AuditEvent): Promise<unknown>;
}

/** The times that sessions live, are valid without use, and stay unlocked. */
export const sessionMs = 8 * 3_600_000;
export const idleMs = 30 * 60_000;
const unlockedMs = 15 * 60_000;

/** A further session replaces the one that was not used for the longest time. */
const sessionsMax = 64;

const actorPrefix = `${programActor.console}:`;

/** Whether an actor of the log is a session of the console. No key has such a name. */
export function isConsoleActor(actor: Actor): boolean {
  return actor.startsWith(actorPrefix);
}

/**
 * The rights of a session that another node of the cluster has authenticated, and whose scopes and step-up it has checked. That
 * node ends the session's requests; `revoked` is its retirement.
 */
export function rightsOfPeerSession(actor: Actor, revoked: AbortSignal): KeyRights {
  return { actor, scopes: ['admin'], skills: undefined, ceiling: undefined, holds: () => true, revoked };
}

interface HeldSession extends ConsoleSession {
  lastUsedAt: number;
  unlockedUntil: number | null;
  cookieHash: Buffer;
  halfHash: Buffer;
  revoked: AbortController;
}

/** Starts without sessions. */
export function consoleSessions({
  isOn,
  now,
  append,
  newId = () => randomBytes(6).toString('hex'),
}: ConsoleSessionsOptions): ConsoleSessions {
  const codes = oneTimeCodes(now);
  const sessions = new Map<string, HeldSession>();
  /** Sessions that are being recorded: their codes are used up. */
  let opening = 0;
  const isOpen = ({ id, expiresAt, lastUsedAt }: HeldSession): boolean =>
    isOn() && sessions.has(id) && now() < expiresAt && now() - lastUsedAt < idleMs;
  const open = (): HeldSession[] => {
    for (const session of sessions.values()) if (!isOpen(session)) sessions.delete(session.id);
    return [...sessions.values()];
  };

  const end: ConsoleSessions['end'] = async (id, reason, actor) => {
    const session = open().find((each) => each.id === id);
    if (session === undefined) return false;
    // Before it is recorded: a full disk must not keep a session open.
    sessions.delete(id);
    session.revoked.abort(new Error(`the console session ${id} was ended: ${reason}`));
    await append({ kind: 'console.closed', time: now(), actor, session: session.rights.actor, reason });
    return true;
  };

  return {
    isOn,
    async issue(purpose, actor, scopes, decision) {
      const issued = codes.issue(purpose, scopes, decision);
      const { digest, expiresAt } = issued;
      await append({
        kind: 'console.issued',
        time: now(),
        actor,
        purpose,
        decision,
        digest,
        expiresAt,
      });
      return issued;
    },
    async open(code) {
      const redeemed = codes.redeem(code, 'sign-in');
      if (redeemed === undefined) return undefined;
      const { confirmation, scopes } = redeemed;
      const [cookie, half] = [consoleSecret('session'), consoleSecret('session')];
      const session = newSession({ id: newId(), createdAt: now(), scopes, cookie, half }, isOpen);
      const { expiresAt, rights } = session;
      const { actor } = rights;
      opening += 1;
      await append({
        kind: 'console.opened',
        time: now(),
        actor,
        confirmation,
        scopes: [...scopes],
        expiresAt,
      }).finally(() => {
        opening -= 1;
      });
      const before = open().toSorted((a, b) => a.lastUsedAt - b.lastUsedAt);
      sessions.set(session.id, session);
      for (const { id } of before.slice(0, Math.max(0, before.length + 1 - sessionsMax)))
        await end(id, 'replaced', actor);
      return { session, cookie, half };
    },
    find(presented) {
      const held = heldBy(presented, open());
      if (held === undefined) return { status: 'unknown' };
      const { session, cookie, half } = held;
      if (!cookie || !half)
        return { status: 'halved', actor: session.rights.actor, missing: half ? 'cookie' : 'half' };
      if (!presented.isBackground) session.lastUsedAt = now();
      return { status: 'open', session };
    },
    async unlock({ id, rights }, code) {
      const confirmation = codes.redeem(code, 'confirm')?.confirmation;
      if (confirmation === undefined) return undefined;
      const until = now() + unlockedMs;
      await append({ kind: 'console.unlocked', time: now(), actor: rights.actor, confirmation, until });
      const session = sessions.get(id);
      if (session !== undefined) session.unlockedUntil = until;
      return session;
    },
    confirm: (code, decision) => codes.redeem(code, 'confirm', decision)?.confirmation,
    isUnlocked: ({ unlockedUntil }) => unlockedUntil !== null && now() < unlockedUntil,
    list: open,
    // Ends the sessions of a console that was turned off: turning it on again does not revive them.
    isInUse: () => (open().length > 0 || opening > 0 || codes.hasValid('sign-in')) && isOn(),
    end,
  };
}

interface SessionStart
  extends Pick<ConsoleSession, 'id' | 'createdAt'>,
    Pick<KeyRights, 'scopes'>,
    Omit<OpenedSession, 'session'> {}

/** A session that is not open yet. */
function newSession(
  { id, createdAt, scopes, cookie, half }: SessionStart,
  isOpen: (session: HeldSession) => boolean,
): HeldSession {
  const revoked = new AbortController();
  const session: HeldSession = {
    id,
    createdAt,
    expiresAt: createdAt + sessionMs,
    lastUsedAt: createdAt,
    unlockedUntil: null,
    cookieHash: keyDigest(cookie),
    halfHash: keyDigest(half),
    revoked,
    rights: {
      actor: `${actorPrefix}${id}`,
      scopes,
      skills: undefined,
      ceiling: undefined,
      holds: () => isOpen(session),
      revoked: revoked.signal,
    },
  };
  return session;
}

/** The session of which a request has both halves, or else one. */
function heldBy({ cookies, half }: PresentedSession, sessions: readonly HeldSession[]) {
  // The duration reveals nothing about any half: all are compared, each in constant time.
  const hashes = cookies.map(keyDigest);
  const hash = keyDigest(half ?? '');
  const held = sessions.map((session) => ({
    session,
    cookie: hashes.filter((each) => timingSafeEqual(each, session.cookieHash)).length > 0,
    half: timingSafeEqual(hash, session.halfHash),
  }));
  return (
    held.find((each) => each.cookie && each.half) ??
    held.find((each) => each.half) ??
    held.find((each) => each.cookie)
  );
}
