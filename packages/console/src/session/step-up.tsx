import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../part/shown.tsx';
import { Visible } from '../part/visible.tsx';

const command = 'ambit console confirm';

/**
 * Asks for a code of `ambit console confirm`, which a program in a browser cannot print. `act` gets it; the dialog
 * closes when that succeeds.
 */
export function StepUp({
  title,
  action,
  decision,
  act,
  onClose,
}: {
  title: string;
  action: string;
  /** The decision about an installed skill, as the command names it. Absent: the session is unlocked. */
  decision?: string;
  act: (code: string) => Promise<void>;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ error?: unknown; isBusy: boolean }>({ isBusy: false });
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (form: HTMLFormElement): Promise<void> => {
    setState({ isBusy: true });
    try {
      await act(String(new FormData(form).get('code')).trim());
      dialog.current?.close();
    } catch (error) {
      setState({ error, isBusy: false });
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="step-up-title" onClose={onClose}>
      <h2 id="step-up-title">
        <Visible text={title} />
      </h2>
      <p>
        Run{' '}
        <code>
          <Visible text={decision === undefined ? command : `${command} ${decision}`} />
        </code>{' '}
        in a terminal, and enter the code that it prints within 60 seconds. This proves that a person decides,
        not a program in this browser.
      </p>
      {state.error !== undefined && <Failure error={state.error} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(event.currentTarget);
        }}
      >
        <label>
          Code
          <input name="code" autocomplete="off" required />
        </label>
        <div class="buttons">
          <button type="submit" class="primary" disabled={state.isBusy}>
            {action}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}
