import { useEffect, useRef } from 'preact/hooks';
import { Visible } from '../part/visible.tsx';

/** Asks once more before something that cannot be undone. */
export function Confirm({
  title,
  action,
  act,
  onClose,
}: {
  title: string;
  action: string;
  act: () => void;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">
        <Visible text={title} />
      </h2>
      <p>This cannot be undone.</p>
      <div class="buttons">
        <button
          type="button"
          class="danger"
          onClick={() => {
            act();
            close();
          }}
        >
          {action}
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
