import { useLocation } from 'preact-iso';
import { bytesText, countText } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { workspacePath } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';
import { useTask } from '../../session/task.tsx';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';

/** The workspaces of the first key. */
export function WorkspacesView() {
  return (
    <Page
      title="Workspaces"
      lead="Folders that persist across calls. These are the workspaces of the first key, which ambit workspace list shows too. Each expires when it is not used."
    >
      <UnlessReadOnly cannot="see workspaces">
        <List />
        <NewWorkspace />
      </UnlessReadOnly>
    </Page>
  );
}

function List() {
  const workspaces = useLoaded('workspaces', (signal) => client.workspaces.list({ signal }));
  useLive(workspaces.reload);
  return (
    <Shown loaded={workspaces}>
      {(all) =>
        all.length === 0 ? (
          <Empty>There are no workspaces. Create one below, or run a skill with files of yours.</Empty>
        ) : (
          <Table
            columns={[
              'Workspace',
              { heading: 'Files', is: 'number' },
              { heading: 'Size', is: 'number' },
              'Created',
              'Expires',
            ]}
            rows={all.map(({ id, label, fileCount, usedBytes, quotaBytes, createdAt, expiresAt }) => ({
              key: id,
              cells: [
                <a href={workspacePath(id)}>
                  {label === null || label === '' ? id : <Visible text={label} />}
                </a>,
                countText(fileCount),
                `${bytesText(usedBytes)} of ${bytesText(quotaBytes)}`,
                <Time at={createdAt} />,
                <Time at={expiresAt} />,
              ],
            }))}
          />
        )
      }
    </Shown>
  );
}

function NewWorkspace() {
  const { route } = useLocation();
  const { start, isBusy, shown } = useTask();
  return (
    <section>
      <h2>New workspace</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const formData = new FormData(event.currentTarget);
          const mebibytes = Number(formData.get('mebibytes'));
          start({
            what: 'Creating the workspace',
            asks: { title: 'Create a workspace', action: 'Create it' },
            async act() {
              const { id } = await client.workspaces.create({
                label: String(formData.get('label')),
                quotaBytes: mebibytes > 0 ? mebibytes * 1024 ** 2 : undefined,
              });
              route(workspacePath(id));
            },
          });
        }}
      >
        <label>
          Label
          <input name="label" maxLength={200} autocomplete="off" />
        </label>
        <label>
          Size limit in MiB (empty: the daemon's)
          <input name="mebibytes" type="number" min={1} step={1} />
        </label>
        <button type="submit" disabled={isBusy}>
          Create
        </button>
      </form>
      {shown}
    </section>
  );
}
