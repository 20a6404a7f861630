import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso';
import { Page } from '../part/page.tsx';
import { Failure } from '../part/shown.tsx';
import { base, paths } from '../paths.ts';
import { followLog } from '../session/live.ts';
import { session } from '../session/session.ts';
import { SignIn } from '../session/sign-in.tsx';
import { WithWaiting } from '../view/approvals/waiting.tsx';
import { HomeView } from '../view/home/home-view.tsx';
import { Navigation } from './navigation.tsx';

// Each view is loaded when it is first opened.
const RunsView = lazy(async () => (await import('../view/runs/runs-view.tsx')).RunsView);
const RunView = lazy(async () => (await import('../view/run/run-view.tsx')).RunView);
const AuditView = lazy(async () => (await import('../view/audit/audit-view.tsx')).AuditView);
const NodesView = lazy(async () => (await import('../view/nodes/nodes-view.tsx')).NodesView);
const ApprovalsView = lazy(async () => (await import('../view/approvals/approvals-view.tsx')).ApprovalsView);
const ReviewView = lazy(async () => (await import('../view/approvals/review-view.tsx')).ReviewView);
const CatalogView = lazy(async () => (await import('../view/catalog/catalog-view.tsx')).CatalogView);
const SkillView = lazy(async () => (await import('../view/catalog/skill-view.tsx')).SkillView);
const WorkspacesView = lazy(
  async () => (await import('../view/workspaces/workspaces-view.tsx')).WorkspacesView,
);
const WorkspaceView = lazy(async () => (await import('../view/workspaces/workspace-view.tsx')).WorkspaceView);
const PromptView = lazy(async () => (await import('../view/prompt/prompt-view.tsx')).PromptView);
const SettingsView = lazy(async () => (await import('../view/settings/settings-view.tsx')).SettingsView);

/** The console: the sign-in page, or the views of a session. */
export function App() {
  const state = session.value;
  if (state.is === 'failed')
    return (
      <main>
        <Failure error={state.why} retry={() => location.reload()} />
      </main>
    );
  if (state.is === 'loading')
    return (
      <main>
        <p class="loading" aria-busy="true">
          Loading…
        </p>
      </main>
    );
  return state.is === 'signed-out' ? <SignIn why={state.why} /> : <Views />;
}

function Views() {
  useEffect(() => {
    const ended = new AbortController();
    void followLog(ended.signal);
    return () => ended.abort();
  }, []);
  return (
    <LocationProvider scope={base}>
      <WithWaiting>
        <a class="skip" href="#view">
          Skip to the content
        </a>
        <Navigation />
        <main id="view">
          <ErrorBoundary>
            <Router>
              <Route path={paths.home} component={HomeView} />
              <Route path={paths.runs} component={RunsView} />
              <Route path={`${paths.runs}/:id`} component={RunView} />
              <Route path={paths.nodes} component={NodesView} />
              <Route path={paths.audit} component={AuditView} />
              <Route path={paths.approvals} component={ApprovalsView} />
              <Route path={`${paths.approvals}/:id`} component={ReviewView} />
              <Route path={paths.catalog} component={CatalogView} />
              <Route path={`${paths.catalog}/:id`} component={SkillView} />
              <Route path={paths.workspaces} component={WorkspacesView} />
              <Route path={`${paths.workspaces}/:id`} component={WorkspaceView} />
              <Route path={paths.prompt} component={PromptView} />
              <Route path={paths.settings} component={SettingsView} />
              <Route default component={NoView} />
            </Router>
          </ErrorBoundary>
        </main>
      </WithWaiting>
    </LocationProvider>
  );
}

function NoView() {
  return (
    <Page title="Page not found">
      <p>
        The console has no page at this address. Go to <a href={paths.home}>Home</a>.
      </p>
    </Page>
  );
}
