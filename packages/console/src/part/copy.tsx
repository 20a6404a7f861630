import { useState } from 'preact/hooks';

/** A button that copies a text, which it shows. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState('Copy');
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setState('Copied');
  };
  return (
    <span class="copy">
      <code>{text}</code>{' '}
      <button
        type="button"
        aria-label={`${state} ${label}`}
        // Browsers allow it only over TLS and on this machine.
        onClick={() => void copy().catch(() => setState('Cannot copy: select the text'))}
      >
        {state}
      </button>
    </span>
  );
}
