import { useContext } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Time } from '../part/time.tsx';
import { base, paths } from '../paths.ts';
import { live, pause } from '../session/live.ts';
import { isNode, isReadOnly, isUnlocked, session, signOut } from '../session/session.ts';
import { Waiting } from '../view/approvals/waiting.tsx';

const views = [
  [paths.home, 'Home'],
  [paths.runs, 'Runs'],
  [paths.approvals, 'Approvals'],
  [paths.catalog, 'Catalog'],
  [paths.workspaces, 'Workspaces'],
  [paths.prompt, 'Prompt'],
  [paths.nodes, 'Nodes'],
  [paths.audit, 'Audit'],
  [paths.settings, 'Settings'],
] as const;

/** The links to the views, whether the page is live, and the name of the user. */
export function Navigation() {
  const { path } = useLocation();
  const waiting = useContext(Waiting).value?.length ?? 0;
  const state = session.value;
  return (
    <header>
      <span class="product">Ambit</span>
      <nav aria-label="Views">
        {views
          .filter(([to]) => to !== paths.nodes || isNode(state))
          .map(([to, name]) => (
            <a href={to} aria-current={isIn(path, to) ? 'page' : undefined}>
              {name}
              {to === paths.approvals && waiting > 0 && (
                <span class="badge" title={`${waiting} waiting`}>
                  {waiting}
                  <span class="away"> waiting</span>
                </span>
              )}
            </a>
          ))}
      </nav>
      <LiveButton />
      {isUnlocked(state) && state.is === 'signed-in' && state.session.unlockedUntil !== null && (
        <span class="quiet">
          may run skills until <Time at={state.session.unlockedUntil} />
        </span>
      )}
      {isReadOnly(state) && <span class="quiet">read-only</span>}
      {state.is === 'signed-in' && (
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      )}
    </header>
  );
}

function LiveButton() {
  if (live.value === 'offline')
    return (
      <span class="live" role="status">
        Reconnecting…
      </span>
    );
  const isPaused = live.value === 'paused';
  return (
    <button type="button" class="live" onClick={() => pause(!isPaused)}>
      {isPaused ? 'Paused: resume' : 'Live: pause'}
    </button>
  );
}

function isIn(path: string, view: string): boolean {
  // The router removes the slash at the end of a path.
  return view === paths.home ? path === base : path === view || path.startsWith(`${view}/`);
}
