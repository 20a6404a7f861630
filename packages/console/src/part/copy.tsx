import { useState } from 'preact/hooks';

/** A button that copies a text, which it shows. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span class="copy">
      <code>{text}</code>{' '}
      <button
        type="button"
        aria-label={`Copy ${label}`}
        onClick={() => void copy().catch(() => setCopied(false))}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
