import { AmbitError, AmbitProblem } from '@ambit/client';
import type { ComponentChildren } from 'preact';
import type { Loaded } from './loaded.ts';
import { Visible } from './visible.tsx';

/** A loaded value, or what a person sees instead: that it loads, or why it cannot be shown and what to do. */
export function Shown<Value>({
  loaded,
  children,
}: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && (
        <p class="loading" aria-busy="true">
          Loading…
        </p>
      )}
    </>
  );
}

/** The reason of a failure, and the remedy. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, text } = explained(error);
  return (
    <div class="failure" role="alert">
      <h2>{title}</h2>
      <p>
        <Visible text={text ?? (error instanceof Error ? error.message : String(error))} />
      </p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A list without entries: what would be here, and how it gets here. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Returns the failure and its remedy in the console. Without a text, the daemon's own says it. */
function explained(error: unknown): { title: string; text?: string } {
  if (error instanceof AmbitError && error.code === 'UNREACHABLE')
    return {
      title: 'The daemon does not answer',
      text: 'Run ambit console and open the address that it prints, or start the daemon with ambit serve. Your session may have ended.',
    };
  if (!(error instanceof AmbitProblem)) return { title: 'Something went wrong' };
  switch (error.code as string) {
    case 'SCOPE_MISSING':
      return { title: 'Not allowed' };
    case 'CODE_INVALID':
      return {
        title: 'Invalid code',
        text: 'It is older than 60 seconds, was used before, or is from another daemon. Run ambit console again.',
      };
    case 'CONFIRMATION_REQUIRED':
      return {
        title: 'A new code is needed',
        text: 'A code works once, within 60 seconds, and only for what it was printed for. Run the command again.',
      };
    default:
      return { title: `Refused: ${error.code}` };
  }
}
