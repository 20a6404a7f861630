import type { Workspace } from '@ambit/client';
import { bytesText, plural } from '../../format/units.ts';
import { useTask } from '../../session/task.tsx';
import { type ChosenFile, chosenFiles, sizeOf, uploadFiles } from '../../session/workspace-files.ts';

/** Adds files of the person's machine to a workspace, all in one step. */
export function Upload({
  workspace: { id, quotaBytes },
  onDone,
}: {
  workspace: Workspace;
  onDone: () => void;
}) {
  const { start, fail, isBusy, shown } = useTask();
  return (
    <section>
      <h2>Add files</h2>
      <p class="quiet">All of them are added in one step. Files with the same path are replaced.</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const formData = new FormData(form);
          const files = chosenFiles(formData, ['files', 'folder'], String(formData.get('place')));
          const many = `${plural(files.length, 'file')}, ${bytesText(sizeOf(files))}`;
          const problem = uploadProblem(files, quotaBytes);
          if (problem !== undefined) return fail(problem);
          start({
            what: `Uploading ${many}`,
            asks: { title: `Add ${many}`, action: 'Upload' },
            async act(signal) {
              await uploadFiles(id, files, signal);
              form.reset();
              onDone();
            },
          });
        }}
      >
        <label>
          Files
          <input name="files" type="file" multiple />
        </label>
        <label>
          A folder with everything in it
          <input name="folder" type="file" ref={(input) => input?.setAttribute('webkitdirectory', '')} />
        </label>
        <label>
          Folder in the workspace (empty: the top)
          <input name="place" autocomplete="off" />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Upload
        </button>
      </form>
      {shown}
    </section>
  );
}

/** Returns why files cannot be uploaded. The daemon refuses too many bytes too, but only after it has received much of them. */
function uploadProblem(files: readonly ChosenFile[], quotaBytes: number): Error | undefined {
  if (files.length === 0) return new Error('Choose files or a folder first.');
  const size = sizeOf(files);
  if (size <= quotaBytes) return undefined;
  return new Error(
    `The files have ${bytesText(size)}, and the workspace holds ${bytesText(quotaBytes)}. Choose fewer files, or create a workspace with a larger size limit.`,
  );
}
