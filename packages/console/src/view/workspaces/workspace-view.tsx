import type { Workspace } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { bytesText, countText } from '../../format/units.ts';
import { visibleText } from '../../format/visible.ts';
import { Copy } from '../../part/copy.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';
import { type Task, useTask } from '../../session/task.tsx';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { downloadAll, downloadFile } from '../../session/workspace-files.ts';
import { Upload } from './upload.tsx';

/** One workspace: what it holds, and its files to download, add and delete. */
export function WorkspaceView() {
  const id = useRoute().params['id'] ?? '';
  return (
    <Page title="Workspace">
      <UnlessReadOnly cannot="see workspaces">
        <Contents key={id} id={id} />
      </UnlessReadOnly>
    </Page>
  );
}

function Contents({ id }: { id: string }) {
  const { route } = useLocation();
  const workspace = useLoaded(`workspace ${id}`, (signal) => client.workspaces.get(id, { signal }));
  useLive(workspace.reload);
  const { start, isBusy, shown } = useTask();
  return (
    <>
      <p>
        <a href={paths.workspaces}>All workspaces</a>
      </p>
      <Shown loaded={workspace}>
        {(value) => (
          <>
            <Summary workspace={value} />
            <div class="buttons">
              <button
                type="button"
                disabled={isBusy}
                onClick={() =>
                  start({ what: 'Downloading all files', act: (signal) => downloadAll(value, signal) })
                }
              >
                Download all (tar)
              </button>
              <button
                type="button"
                class="danger"
                disabled={isBusy}
                onClick={() =>
                  start({
                    what: 'Deleting the workspace',
                    asks: {
                      title: 'Delete this workspace and its files',
                      action: 'Delete the workspace',
                      isFinal: true,
                    },
                    async act(signal) {
                      await client.workspaces.remove(id, { signal });
                      route(paths.workspaces);
                    },
                  })
                }
              >
                Delete the workspace…
              </button>
            </div>
            {shown}
            <Upload workspace={value} onDone={workspace.reload} />
            <Entries workspace={value} isBusy={isBusy} start={start} onChanged={workspace.reload} />
          </>
        )}
      </Shown>
    </>
  );
}

function Summary({
  workspace: { id, label, usedBytes, quotaBytes, fileCount, createdAt, expiresAt },
}: {
  workspace: Workspace;
}) {
  return (
    <dl class="summary">
      {label !== null && label !== '' && (
        <>
          <dt>Label</dt>
          <dd>
            <Visible text={label} />
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <Copy text={id} label="the id" />
      </dd>
      <dt>Files</dt>
      <dd>{countText(fileCount)}</dd>
      <dt>Size</dt>
      <dd>
        <meter min={0} max={quotaBytes} high={quotaBytes * 0.8} value={usedBytes} aria-label="Size used" />{' '}
        {bytesText(usedBytes)} of {bytesText(quotaBytes)}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      <dt>Expires</dt>
      <dd>
        <Time at={expiresAt} />, later with each use
      </dd>
    </dl>
  );
}

/** A file, a link or an empty folder. */
interface Entry {
  path: string;
  kind: string;
  /** Absent for links and folders, which have no bytes to download. */
  file?: Workspace['files'][number];
}

/** A workspace can have 20,000 entries. */
const rowsMax = 200;

function Entries({
  workspace,
  isBusy,
  start,
  onChanged,
}: {
  workspace: Workspace;
  isBusy: boolean;
  start: (task: Task) => void;
  onChanged: () => void;
}) {
  const [words, setWords] = useState('');
  const [shownMax, setShownMax] = useState(rowsMax);
  const { id } = workspace;
  const all = entriesOf(workspace);
  const found = all.filter(({ path }) => path.includes(words));
  if (all.length === 0) return <Empty>It has no files yet.</Empty>;
  return (
    <section>
      <h2>Files</h2>
      {all.length > 10 && (
        <label>
          Part of a path
          <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
      )}
      <Table
        columns={['Path', 'Kind', { heading: 'Size', is: 'number' }, 'Changed', 'Actions']}
        rows={found.slice(0, shownMax).map(({ path, kind, file }) => ({
          key: path,
          cells: [
            <Visible text={path} />,
            <Visible text={kind} />,
            file !== undefined && (
              <span title={`${countText(file.bytes)} bytes`}>{bytesText(file.bytes)}</span>
            ),
            file !== undefined && <Time at={file.modified} />,
            file !== undefined && (
              <div class="row-buttons">
                <button
                  type="button"
                  aria-label={`Download ${visibleText(path)}`}
                  disabled={isBusy}
                  onClick={() =>
                    start({
                      what: `Downloading ${visibleText(path)}`,
                      act: (signal) => downloadFile(id, path, signal),
                    })
                  }
                >
                  Download
                </button>
                <button
                  type="button"
                  class="danger"
                  aria-label={`Delete ${visibleText(path)}`}
                  disabled={isBusy}
                  onClick={() =>
                    start({
                      what: `Deleting ${visibleText(path)}`,
                      asks: { title: `Delete ${path}`, action: 'Delete the file', isFinal: true },
                      async act(signal) {
                        await client.workspaces.removeFile(id, path, { signal });
                        onChanged();
                      },
                    })
                  }
                >
                  Delete…
                </button>
              </div>
            ),
          ],
        }))}
      />
      {found.length > shownMax && (
        <button type="button" onClick={() => setShownMax(shownMax + 5 * rowsMax)}>
          Show more ({countText(found.length - shownMax)} left)
        </button>
      )}
    </section>
  );
}

function entriesOf({ files, links, folders }: Workspace): Entry[] {
  return [
    ...files.map((file) => ({
      path: file.path,
      kind: file.executable === true ? 'executable file' : 'file',
      file,
    })),
    ...links.map(({ path, link }) => ({ path, kind: `link to ${link}` })),
    ...folders.map((path) => ({ path: `${path}/`, kind: 'empty folder' })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}
