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

/** Why something failed, and what to do. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, next } = explained(error);
  return (
    <div class="failure" role="alert">
      <h2>{title}</h2>
      <p>
        <Visible text={error instanceof Error ? error.message : String(error)} />
      </p>
      {next !== undefined && <p>{next}</p>}
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

function explained(error: unknown): { title: string; next?: string } {
  if (error instanceof AmbitError && error.code === 'UNREACHABLE')
    return { title: 'Offline', next: 'Start the daemon with ambit serve, then try again.' };
  if (!(error instanceof AmbitProblem)) return { title: 'This did not work' };
  switch (error.code as string) {
    case 'SCOPE_MISSING':
      return { title: 'Not allowed', next: 'Sign in with ambit console on the machine of the daemon.' };
    case 'CODE_INVALID':
      return {
        title: 'This code does not sign in',
        next: 'Run ambit console in a terminal, and open the new address within 60 seconds.',
      };
    case 'CONFIRMATION_REQUIRED':
      return {
        title: 'A code is needed',
        next: 'Run ambit console confirm in a terminal. A code works once, for 60 seconds.',
      };
    default:
      return { title: `Refused: ${error.code}` };
  }
}
